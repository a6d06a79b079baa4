// Planted bugs of compensation (FAIL-8).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const UNDOING: readonly Mutant[] = [
  {
    name: "the oldest step is undone first",
    changes: [
      {
        file: "kernel/src/state/compensation.ts",
        from: `return succeeded.toReversed() as StepIndex[];`,
        to: `return succeeded as StepIndex[];`,
      },
    ],
  },
  {
    name: "an undoing that fails stops those after it",
    changes: [
      {
        file: "kernel/src/state/compensation.ts",
        from: `builder.dependOn(String(position - 1), "settled");`,
        to: `builder.dependOn(String(position - 1), "succeeded");`,
      },
    ],
  },
  {
    name: "all undoings run at once",
    changes: [
      { file: "kernel/src/state/compensation.ts", from: `if (position > 0) builder`, to: `if (position < 0) builder` },
    ],
  },
  {
    name: "a cancelled execution is undone although nobody asked",
    changes: [
      {
        file: "kernel/src/rules/consequences.ts",
        from: `const { reason, compensate } = state.cancelling!;`,
        to: `const { reason } = state.cancelling!;
  const compensate = true;`,
      },
    ],
  },
  {
    name: "an undoing has the default retries",
    changes: [
      {
        file: "kernel/src/program/compile-step.ts",
        from: `retry: retryPolicy(undo.retry),`,
        to: `retry: retryPolicy(undefined),`,
      },
    ],
  },
  {
    name: "an undoing that failed is not named at the end",
    changes: [
      {
        file: "kernel/src/state/compensation.ts",
        from: `return phase === SUCCEEDED || phase === SKIPPED;`,
        to: `return phase >= 0;`,
      },
    ],
  },
];
