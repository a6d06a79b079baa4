// Planted bugs of cancelling and pausing (CANCEL-2 to CANCEL-7).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const STOPPING: readonly Mutant[] = [
  {
    name: "a drain stops what runs",
    changes: [
      {
        file: "kernel/src/rules/stop.ts",
        from: `if (isDrain) withdrawRequests(state, builder, stopping);
  else stopAll`,
        to: `if (isDrain) stopAll(state, builder, stopping, reason, grace);
  else stopAll`,
      },
    ],
  },
  {
    name: "a value that comes within the grace is thrown away",
    changes: [
      {
        file: "kernel/src/rules/attempt.ts",
        from: `  if (outcome.kind === "succeeded") {
    const output = captureOutput(state, step, outcome.output, values);
    if (output.kind === "needs") return needs(output.values);
    if (output.kind === "evaluated") {`,
        to: `  if (outcome.kind === "succeeded") {
    const output = captureOutput(state, step, outcome.output, values);
    if (output.kind === "needs") return needs(output.values);
    if (output.kind === "evaluated" && step < 0) {`,
      },
    ],
  },
  {
    name: "a paused execution starts steps",
    changes: [
      {
        file: "kernel/src/state/permission.ts",
        from: `return state.hold === undefined && mayRun(state, step);`,
        to: `return mayRun(state, step);`,
      },
    ],
  },
  {
    name: "a backoff that ended during a pause is forgotten",
    changes: [
      {
        file: "kernel/src/rules/control.ts",
        from: `  builder.emit({ kind: "execution.resumed", ...(by === undefined ? {} : { by }) });
  armBackoffs(state, builder);`,
        to: `  builder.emit({ kind: "execution.resumed", ...(by === undefined ? {} : { by }) });`,
      },
    ],
  },
  {
    name: "a second cancel without grace is ignored",
    changes: [
      {
        file: "kernel/src/rules/control.ts",
        from: `if (state.baseStatus === "cancelling" && !isHarder && happening.grace === 0) return cancelAgain(`,
        to: `if (state.baseStatus === "cancelling" && !isHarder && happening.grace === -1) return cancelAgain(`,
      },
    ],
  },
  {
    name: "a drain cannot be turned into an abort",
    changes: [
      {
        file: "kernel/src/rules/control.ts",
        from: `const isHarder = state.cancelling?.mode === "drain" && mode === "abort";`,
        to: `const isHarder = state.cancelling?.mode === "abort" && mode === "drain";`,
      },
    ],
  },
  {
    name: "steps that wait for a signal are not cancelled",
    changes: [
      {
        file: "kernel/src/rules/stop.ts",
        from: `    case RETRYING:
    case SUSPENDED:
`,
        to: `    case RETRYING:
`,
      },
    ],
  },
];
