// Planted bugs: each is a change of the source that must be found by the simulator, so that we know what it can see.
//
// A mutant is made in a copy of the packages, never in the sources, and never by a switch in them. Every text to replace
// must occur exactly once: a mutant that no longer fits fails the test instead of passing it.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Mutant {
  readonly name: string;
  readonly changes: readonly Change[];
}

interface Change {
  /** Under packages/. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const LOOP = "engine/src/turn/turn-loop.ts";
const HEALER = "engine/src/recovery/healer.ts";
const EXECUTIONS = "engine/src/executions.ts";
const LOADER = "engine/src/recovery/loader.ts";
const ATTEMPT = "kernel/src/decide/attempt.ts";

export const MUTANTS: readonly Mutant[] = [
  {
    name: "what a let-go execution held of a capacity is not given back",
    changes: [
      {
        file: "engine/src/scheduler/scheduler.ts",
        from: `      if (!claim.isPlain) this.#giveBack(account, step, claim, undefined);\n    }\n`,
        to: `    }\n`,
      },
    ],
  },
  {
    name: "acknowledged before the commit",
    changes: [
      {
        file: LOOP,
        from: `execution.activity = "committing";`,
        to: `execution.activity = "committing";
    for (const effect of turn.effects.splice(0)) this.#perform(execution, effect);
    turn.answerAll();`,
      },
    ],
  },
  {
    name: "no fence: the result of an old attempt counts",
    changes: [
      {
        file: ATTEMPT,
        from: `  if (state.columns.epoch[step] !== epoch) return ignored(state, "stale");\n  if (phase === RUNNING)`,
        to: `  if (phase === RUNNING)`,
      },
      {
        file: "engine/src/runners/function-runner.ts",
        from: `    return phase === "running";`,
        to: `    return phase !== "over";`,
      },
    ],
  },
  {
    name: "timers lost on recovery",
    changes: [
      {
        file: LOOP,
        from: `if (timer.kind !== "attempt-deadline") this.#timers.set(execution, timer, dueAt);`,
        to: `if (timer.kind === "force") this.#timers.set(execution, timer, dueAt);`,
      },
    ],
  },
  {
    name: "dispatched twice after recovery",
    changes: [
      {
        file: LOADER,
        from: `      inbox.add({ happening: dispatcher.lost(step, epoch, "the process that ran it ended") });\n`,
        to: `      dispatcher.run(execution, {
        kind: "run",
        step: step as never,
        attempt: state.columns.attempts[step]!,
        epoch,
        call: state.calls.get(step)?.value,
        secrets: [],
        deadline: undefined,
      });\n`,
      },
    ],
  },
  {
    name: "an execution rests although something has come for it",
    changes: [
      {
        file: "engine/src/recovery/resting.ts",
        from: `if (activity !== "idle" || inbox.size > 0 || attempts.size > 0) return false;`,
        to: `if (activity === "gone" || attempts.size > 0) return false;`,
      },
    ],
  },
  {
    name: "an execution that rests is not woken",
    changes: [
      {
        file: "engine/src/recovery/tenure.ts",
        from: `for (const { execution, wakeAt } of rested) if (wakeAt !== null) this.#wakeLater(execution.id, wakeAt);`,
        to: `for (const { execution, wakeAt } of rested) if (wakeAt !== null) void execution;`,
      },
    ],
  },
  {
    name: "slot not released on a timeout",
    changes: [
      {
        file: ATTEMPT,
        from: `  draft.ask(new Release(step));\n  if (mayRun(`,
        to: `  if (failure.class !== "timeout") draft.ask(new Release(step));\n  if (mayRun(`,
      },
    ],
  },
  {
    name: "a message in hand is delivered again",
    changes: [
      { file: "engine/src/inbox/intake.ts", from: ` || this.#inHand.has(message.id)) continue;`, to: `) continue;` },
    ],
  },
  {
    name: "messages not taken with their turn",
    changes: [
      {
        file: LOOP,
        from: `this.#ports.committer.commit(turn.append, turn.messages, (`,
        to: `this.#ports.committer.commit(turn.append, [], (`,
      },
    ],
  },
  {
    name: "head of the journal not checked",
    changes: [
      {
        file: "engine/src/recovery/read-journal.ts",
        from: `if (head !== loaded.projection.head)`,
        to: `if (head === "never")`,
      },
    ],
  },
  {
    name: "chain of the journal not checked",
    changes: [
      {
        file: "engine/src/recovery/read-journal.ts",
        from: `return chainHash(events, head) === block.hash`,
        to: `return chainHash(events, head) !== ""`,
      },
    ],
  },
  {
    name: "stale state: not folded again after a failed commit",
    changes: [{ file: HEALER, from: `    execution.state = state;\n`, to: `` }],
  },
  {
    name: "a failed commit believed to have happened",
    changes: [
      {
        file: HEALER,
        from: `return turn?.append !== undefined && turn.append.projection.head === loaded.projection.head;`,
        to: `return turn?.append !== undefined && loaded !== undefined;`,
      },
    ],
  },
  {
    name: "what a failed turn had taken is forgotten",
    changes: [
      {
        file: HEALER,
        from: `[...taken, ...execution.inbox.all()].filter(`,
        to: `[...taken.slice(taken.length), ...execution.inbox.all()].filter(`,
      },
    ],
  },
  {
    name: "a grant outlives the turn that it was for",
    changes: [
      { file: HEALER, from: `return kind === "granted" || kind === "proceed"`, to: `return kind === "proceed"` },
    ],
  },
  {
    name: "attempts not marked lost on recovery",
    changes: [
      {
        file: LOADER,
        from: `for (const { step, epoch } of attemptsUnderWay(state))`,
        to: `for (const { step, epoch } of attemptsUnderWay(state).slice(0, 0))`,
      },
    ],
  },
  {
    name: "a retry that does not wait for its backoff",
    changes: [
      {
        file: ATTEMPT,
        from: `timer: { kind: "backoff", step, epoch: state.columns.epoch[step]! }, dueAt });`,
        to: `timer: { kind: "backoff", step, epoch: state.columns.epoch[step]! }, dueAt: draft.at });`,
      },
      {
        file: "kernel/src/decide/decide.ts",
        from: `if (dueAt !== undefined && at < dueAt) return`,
        to: `if (dueAt !== undefined && at < dueAt && timer.kind !== "backoff") return`,
      },
      {
        file: ATTEMPT,
        from: `const isDue = event?.kind === "step.retried" && at >= event.dueAt;`,
        to: `const isDue = event?.kind === "step.retried";`,
      },
    ],
  },
  {
    name: "definitions of sub-workflows not stored",
    changes: [
      { file: LOOP, from: `this.#opened(turn.events);`, to: `this.#opened(turn.events.slice(0, 0));` },
      {
        file: "engine/src/starts.ts",
        from: `new Set([registered, ...this.#ports.calledBy(registered).values()]);`,
        to: `new Set([registered]);`,
      },
    ],
  },
  {
    name: "a sub-workflow is looked up anew when it is called",
    changes: [
      {
        file: "engine/src/turn/dispatcher.ts",
        from: `called !== undefined && registry.program(called) !== undefined ? called : registry`,
        to: `called !== undefined && registry.program(called) === undefined ? called : registry`,
      },
    ],
  },
  {
    name: "an execution that could not be claimed is forgotten",
    changes: [
      {
        file: "engine/src/recovery/tenure.ts",
        from: `      this.#ports.executions.wake(id, CLAIM_AGAIN_MS, () => void this.#claim(id));\n`,
        to: ``,
      },
    ],
  },
  {
    name: "starts with one key do not wait for each other",
    changes: [
      {
        file: "engine/src/starts.ts",
        from: "await this.#ports.sequence.run(`key ${key}`,",
        to: "await this.#ports.sequence.run(`key ${key} ${this.#ports.environment.id()}`,",
      },
    ],
  },
  {
    name: "status ahead of the journal",
    changes: [{ file: EXECUTIONS, from: `if (isAtRest(live) ||`, to: `if (live !== undefined ||` }],
  },
  {
    name: "a message is forgotten when its execution cannot be loaded",
    changes: [
      {
        file: "engine/src/inbox/intake.ts",
        from: `      this.#inHand.delete(message.id);\n      this.#ports.report(error`,
        to: `      this.#ports.report(error`,
      },
    ],
  },
  {
    name: "an engine that could not open goes on half open",
    changes: [{ file: "engine/src/engine.ts", from: `      await engine.close();\n`, to: `` }],
  },
  {
    name: "a recovery that failed is not begun again",
    changes: [
      {
        file: "engine/src/recovery/tenure.ts",
        from: `if (this.#isOwner && !this.#isRecovered) await this.#recover();`,
        to: `if (this.#isOwner && !this.#isRecovered) {
        this.#isRecovered = true;
        await this.#recover();
      }`,
      },
    ],
  },
  {
    name: "an owner that lost the store goes on with its executions",
    changes: [
      {
        file: "engine/src/recovery/tenure.ts",
        from: `    this.#ports.executions.letGo("the store is not owned here any more");\n`,
        to: ``,
      },
    ],
  },
  {
    name: "stored inputs not loaded after a recovery",
    changes: [
      {
        file: "engine/src/turn/dispatcher.ts",
        from: `const inputs = missingInputs(owner, effect);`,
        to: `const inputs = missingInputs(owner, effect).slice(0, 0);`,
      },
    ],
  },
  {
    name: "slot taken twice for one step",
    changes: [
      {
        file: "engine/src/scheduler/scheduler.ts",
        from: `that grant will do (G1).
    if (account.held.has(step)) return;`,
        to: `that grant will do (G1).`,
      },
    ],
  },
];

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PACKAGES = ["kernel", "planner", "contract", "engine"];

export interface Verdict {
  readonly name: string;
  /** The first seed that broke a claim; nothing when none did. */
  readonly seed: number | undefined;
  readonly claim: string;
}

/** Runs seeds against a copy of the sources with one bug in it. */
export async function verdictOn(mutant: Mutant, seeds: number): Promise<Verdict> {
  const directory = mkdtempSync(join(tmpdir(), "segno-mutant-"));
  try {
    copyWorkspace(directory);
    for (const change of mutant.changes) apply(directory, change);
    const output = await run(directory, seeds);
    const found = /^seed (\d+): (.*)$/mu.exec(output);
    if (found === null) return { name: mutant.name, seed: undefined, claim: output.slice(-300) };
    return { name: mutant.name, seed: Number(found[1]), claim: found[2]!.slice(0, 100) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The packages are copied, so that they import each other's copies; what they depend on is linked. */
function copyWorkspace(directory: string): void {
  for (const name of PACKAGES) {
    const from = join(ROOT, "packages", name);
    const to = join(directory, "packages", name);
    mkdirSync(to, { recursive: true });
    cpSync(join(from, "package.json"), join(to, "package.json"));
    cpSync(join(from, "src"), join(to, "src"), { recursive: true });
  }
  cpSync(join(ROOT, "packages/engine/test/simulation"), join(directory, "packages/engine/test/simulation"), {
    recursive: true,
  });
  const modules = join(directory, "node_modules");
  mkdirSync(join(modules, "@segno"), { recursive: true });
  for (const name of PACKAGES) symlinkSync(join(directory, "packages", name), join(modules, "@segno", name), "dir");
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (name !== "@segno" && !name.startsWith("."))
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "dir");
}

function apply(directory: string, { file, from, to }: Change): void {
  const path = join(directory, "packages", file);
  const text = readFileSync(path, "utf8");
  const times = text.split(from).length - 1;
  if (times !== 1) throw new Error(`the text to change occurs ${times} times in ${file}: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
}

function run(directory: string, seeds: number): Promise<string> {
  const script = join(directory, "packages/engine/test/simulation/run.ts");
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [script, "--seeds", String(seeds), "--quiet"],
      { timeout: 60_000, maxBuffer: 1 << 24 },
      (_, stdout, stderr) => resolve(stdout + stderr),
    );
  });
}
