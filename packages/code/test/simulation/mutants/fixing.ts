// Planted bugs of fixes and approvals (CODE-7).

import type { Mutant } from "@segno/engine/testing";

export const FIXING: readonly Mutant[] = [
  {
    name: "budget in memory",
    changes: [
      {
        file: "code/src/steps/merge-step.ts",
        from: `    fixesMade,
    isRepeated`,
        to: `    fixesMade: countFix(runtime, mergeId(input)),
    isRepeated`,
      },
      {
        file: "code/src/steps/merge-step.ts",
        from: `/** Undefined if there is no commit from which an agent could start`,
        to: `const FIXES = new WeakMap<StepRuntime, Map<string, number>>();

function countFix(runtime: StepRuntime, id: string): number {
  const counts = FIXES.get(runtime) ?? new Map<string, number>();
  FIXES.set(runtime, counts);
  const count = counts.get(id) ?? 0;
  counts.set(id, count + 1);
  return count;
}

/** Undefined if there is no commit from which an agent could start`,
      },
      {
        file: "code/src/steps/fix-chain.ts",
        from: `failure.next === "fix" ? settings.maxFixAttempts - fixesMade : 0;`,
        to: `failure.next === "fix" ? Math.min(1, settings.maxFixAttempts) : 0;`,
      },
      {
        file: "code/src/steps/merge-step.ts",
        from: `return input.isInChain === true ? value`,
        to: `return input.isInChain === true && value.next !== "fix" ? value`,
      },
    ],
  },
  {
    name: "number of fixes not carried",
    changes: [{ file: "code/src/steps/fix-chain.ts", from: `fixesMade: n,`, to: `fixesMade: 0,` }],
  },
  {
    name: "budget renewed by an approval",
    changes: [
      {
        file: "code/src/steps/fix-chain.ts",
        from: `fixesMade: input.settings.maxFixAttempts,`,
        to: `fixesMade: 0,`,
      },
    ],
  },
  {
    name: "fingerprint not carried",
    changes: [
      {
        file: "code/src/steps/fix-chain.ts",
        from: `? escapeTemplates(failure.fingerprints)`,
        to: `? []`,
      },
    ],
  },
  {
    name: "a fix that changes nothing counts as landed",
    changes: [
      {
        file: "code/src/steps/merge-step.ts",
        from: `if (work === null || work.unfinished !== undefined)`,
        to: `if (work === null)`,
      },
    ],
  },
  {
    name: "approval not remembered",
    changes: [
      {
        file: "code/src/steps/merge-wait.ts",
        from: `{ ...input, isApproved: true }`,
        to: `{ ...input, isApproved: false }`,
      },
    ],
  },
  {
    name: "a check that fails sometimes is charged to the task",
    changes: [
      {
        file: "code/src/steps/commit-check.ts",
        from: `const log = await run(command, options);`,
        to: `const log: string | undefined = first;`,
      },
    ],
  },
  {
    name: "a broken base is charged to the task",
    changes: [
      {
        file: "code/src/steps/commit-check.ts",
        from: `isBaseBroken ? "base-broken" : "failed"`,
        to: `isBaseBroken && command === "" ? "base-broken" : "failed"`,
      },
    ],
  },
];
