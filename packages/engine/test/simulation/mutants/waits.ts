// Planted bugs of signals and approvals (BEYOND-2).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const WAITS: readonly Mutant[] = [
  {
    name: "a signal counts twice",
    changes: [
      {
        file: "kernel/src/rules/waits.ts",
        from: `if (state.signals.seen.has(id)) return ignore(state, "duplicate");`,
        to: `if (state.signals.seen.has(\`\${id} \`)) return ignore(state, "duplicate");`,
      },
    ],
  },
  {
    name: "the newest signal is given first",
    changes: [
      {
        file: "kernel/src/rules/waits.ts",
        from: `of state.signals.pending) {`,
        to: `of [...state.signals.pending].toReversed()) {`,
      },
    ],
  },
  {
    name: "a signal is not checked against the schema",
    changes: [
      {
        file: "kernel/src/rules/waits.ts",
        from: `const failure = schema === undefined ? undefined : mismatch("SIGNAL_INVALID"`,
        to: `const failure = schema !== true ? undefined : mismatch("SIGNAL_INVALID"`,
      },
    ],
  },
  {
    name: "one vote is enough",
    changes: [
      {
        file: "kernel/src/rules/waits.ts",
        from: `if (counted.length < wait.quorum) return`,
        to: `if (counted.length < 1) return`,
      },
    ],
  },
  {
    name: "everybody may vote",
    changes: [
      {
        file: "kernel/src/rules/waits.ts",
        from: `return wait.by === undefined || wait.by.includes(by) ?`,
        to: `return wait.by === undefined || wait.by.length > 0 ?`,
      },
    ],
  },
  {
    name: "an approval that expires is always a rejection",
    changes: [
      {
        file: "kernel/src/rules/waits.ts",
        from: `approveAction(state, step).onExpire === "approve")`,
        to: `approveAction(state, step).onExpire === undefined)`,
      },
    ],
  },
  {
    name: "a vote counts again when it comes again",
    changes: [
      {
        file: "kernel/src/rules/waits.ts",
        from: `if (step !== undefined && state.seenVotes.has(voteKey(step, id))) return "duplicate";
`,
        to: ``,
      },
    ],
  },
];
