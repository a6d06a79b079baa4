// Planted bugs of recovery after a crash, a failed commit or an eviction (JOURNAL-3, FAIL-9).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const RECOVERY: readonly Mutant[] = [
  {
    name: "timers lost on recovery",
    changes: [
      {
        file: "engine/src/turn/execution-timers.ts",
        from: `if (timer.kind === "attempt-deadline") continue;`,
        to: `if (timer.kind !== "grace-end") continue;`,
      },
    ],
  },
  {
    name: "dispatched twice after recovery",
    changes: [
      {
        file: "engine/src/executions/loader.ts",
        from: `      queue.add({ happening: lostHappening(at, step, stepEpoch, "the process that ran it ended") });\n`,
        to: `      loop.runAgain(execution, {
        kind: "run",
        step: step as never,
        attempt: state.columns.attempts[step]!,
        epoch: stepEpoch,
        call: state.calls.get(step)?.value,
        secrets: [],
        deadline: undefined,
      });\n`,
      },
      {
        file: "engine/src/turn/turn-loop.ts",
        from: `  /** Frees the execution's slots and disarms its timers. */\n`,
        to: `  runAgain(execution: LiveExecution, effect: Effect & { kind: "run" }): void {
    this.#ports.dispatcher.run(execution, effect, undefined);
  }
\n`,
      },
    ],
  },
  {
    name: "an execution rests although something has come for it",
    changes: [
      {
        file: "engine/src/executions/idle-eviction.ts",
        from: `      if (!isOnlyWaiting(next)) continue;\n`,
        to: ``,
      },
    ],
  },
  {
    name: "an execution that rests is not woken",
    changes: [
      {
        file: "engine/src/ownership/recovery.ts",
        from: `if (wake !== undefined) this.#wakeLater(execution.id, wake);`,
        to: `if (wake !== undefined) void execution;`,
      },
    ],
  },
  {
    name: "stale state: not folded again after a failed commit",
    changes: [{ file: "engine/src/executions/reconciler.ts", from: `    execution.state = folded.state;\n`, to: `` }],
  },
  {
    name: "a failed commit believed to have happened",
    changes: [
      {
        file: "engine/src/executions/reconciler.ts",
        from: `return turn?.append !== undefined && turn.append.projection.head === loaded.projection.head;`,
        to: `return turn?.append !== undefined && loaded !== undefined;`,
      },
    ],
  },
  {
    name: "what a failed turn had taken is forgotten",
    changes: [
      {
        file: "engine/src/executions/reconciler.ts",
        from: `[...consumed, ...execution.deliveries.all()].filter(`,
        to: `[...consumed.slice(consumed.length), ...execution.deliveries.all()].filter(`,
      },
    ],
  },
  {
    name: "a grant outlives the turn that it was for",
    changes: [
      {
        file: "engine/src/executions/reconciler.ts",
        from: `return kind === "granted" || kind === "proceed"`,
        to: `return kind === "proceed"`,
      },
    ],
  },
  {
    name: "attempts not marked lost on recovery",
    changes: [
      {
        file: "engine/src/executions/loader.ts",
        from: `for (const { step, epoch: stepEpoch } of attemptsUnderWay(state))`,
        to: `for (const { step, epoch: stepEpoch } of attemptsUnderWay(state).slice(0, 0))`,
      },
    ],
  },
  {
    name: "an execution that could not be claimed is forgotten",
    changes: [
      {
        file: "engine/src/ownership/recovery.ts",
        from: `      executions.setWakeTimerAfter(id, this.#nextPause(id), () => void this.#claim(id));\n`,
        to: ``,
      },
    ],
  },
  {
    name: "a lost attempt counts against the retries",
    changes: [
      {
        file: "kernel/src/state/fold.ts",
        from: `  state.columns.attempts[event.step]!--;
`,
        to: ``,
      },
    ],
  },
];
