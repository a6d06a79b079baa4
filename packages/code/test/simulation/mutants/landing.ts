// Planted bugs of landing: the ref transaction, its marker, and the check before it (CODE-5, CODE-6).

import type { Mutant } from "@segno/engine/testing";

export const LANDING: readonly Mutant[] = [
  {
    name: "no compare-and-swap",
    changes: [
      {
        file: "code/src/git/landing.ts",
        from: `from: target.head, to: commit }`,
        to: `from: (await refs.resolveAll([target.ref])).get(target.ref)!, to: commit }`,
      },
    ],
  },
  {
    name: "marker after the ref",
    changes: [
      {
        file: "code/src/git/landing.ts",
        from: `const outcome = await refs.change(changes);`,
        to: `const outcome = await refs.change(changes.slice(1));
  if (outcome.kind === "committed") await refs.change(changes.slice(0, 1));`,
      },
    ],
  },
  {
    name: "marker before the ref",
    changes: [
      {
        file: "code/src/git/landing.ts",
        from: `const outcome = await refs.change(changes);`,
        to: `await refs.change(changes.slice(0, 1));
  const outcome = await refs.change(changes.slice(1));`,
      },
    ],
  },
  {
    name: "no marker",
    changes: [
      {
        file: "code/src/git/landing.ts",
        from: `const outcome = await refs.change(changes);`,
        to: `const outcome = await refs.change(changes.slice(1));`,
      },
    ],
  },
  {
    name: "tested tree is not the landed tree",
    changes: [
      {
        file: "code/src/vcs/merge-loop.ts",
        from: `if (passed.has(commit.tree))`,
        to: `if (passed.size > 0)`,
      },
    ],
  },
  {
    name: "the target is tested instead of the merged files",
    changes: [
      {
        file: "code/src/steps/commit-check.ts",
        from: `  await options.workspaces.checkoutCommit(options.workspaceId, commit);
  for (`,
        to: `  await options.workspaces.checkoutCommit(options.workspaceId, onto);
  for (`,
      },
    ],
  },
];
