// Planted bugs of deadlines: of executions, scopes and waits, and of the grace (FAIL-4, CANCEL-2).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const DEADLINES: readonly Mutant[] = [
  {
    name: "the deadline of an execution is lost",
    changes: [
      {
        file: "kernel/src/rules/control.ts",
        from: `  builder.emitEffect({ kind: "arm", timer: { kind: "execution-deadline" }, dueAt });
`,
        to: ``,
      },
    ],
  },
  {
    name: "the deadline of a scope is lost",
    changes: [
      {
        file: "kernel/src/rules/scope-deadline.ts",
        from: `  builder.emitEffect({ kind: "arm", timer: { kind: "scope-deadline", step }, dueAt });
`,
        to: ``,
      },
    ],
  },
  {
    name: "the deadline of a called workflow is lost",
    changes: [
      {
        file: "kernel/src/rules/scope-deadline.ts",
        from: `const calledTimeout = called?.definition.timeout;`,
        to: `const calledTimeout = called === undefined ? undefined : (undefined as never);`,
      },
    ],
  },
  {
    name: "a wait for a signal has no end",
    changes: [
      {
        file: "kernel/src/rules/ready.ts",
        from: `if (dueAt !== undefined) builder.emitEffect({ kind: "arm", timer: { kind: "wait"`,
        to: `if (dueAt !== undefined && wait.kind !== "signal") builder.emitEffect({ kind: "arm", timer: { kind: "wait"`,
      },
    ],
  },
  {
    name: "the grace is twice as long as it says",
    changes: [
      {
        file: "kernel/src/rules/stop.ts",
        from: `const forceAt = epochMs(builder.at + grace);`,
        to: `const forceAt = epochMs(builder.at + 2 * grace);`,
      },
    ],
  },
  {
    name: "a value that comes within the grace of a timeout counts",
    changes: [
      {
        file: "kernel/src/rules/attempt.ts",
        from: `if (!state.overdue.has(step)) return endWithinGrace(`,
        to: `if (!state.overdue.has(step) || outcome.kind === "succeeded") return endWithinGrace(`,
      },
    ],
  },
  {
    name: "a cancel gives what timed out its grace anew",
    changes: [
      {
        file: "kernel/src/rules/timers.ts",
        from: `return overdueAt !== undefined && overdueAt < event.forceAt ? overdueAt : event.forceAt;`,
        to: `return event.forceAt;`,
      },
    ],
  },
  {
    name: "what is not stopped within its grace is left alone",
    changes: [
      {
        file: "kernel/src/rules/stop.ts",
        from: `  for (const step of running as StepIndex[]) armForce(state, step, forceAt, builder);\n`,
        to: ``,
      },
    ],
  },
];
