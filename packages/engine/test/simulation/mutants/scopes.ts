// Planted bugs of scopes: maps, sub-workflows and dynamic steps (STATE-9, BEYOND-1).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const SCOPES: readonly Mutant[] = [
  {
    name: "one item too many is under way",
    changes: [
      {
        file: "kernel/src/state/item-window.ts",
        from: `while (window.active < window.limit &&`,
        to: `while (window.active <= window.limit &&`,
      },
    ],
  },
  {
    name: "one failed item fewer is tolerated",
    changes: [
      {
        file: "kernel/src/rules/consequences.ts",
        from: `region.failedInstances.size <= toleratedItems(state, region);`,
        to: `region.failedInstances.size < toleratedItems(state, region);`,
      },
    ],
  },
  {
    name: "a tolerated share is rounded up",
    changes: [
      {
        file: "kernel/src/rules/consequences.ts",
        from: `const share = Math.floor(work.tolerance.share * items + 1e-9);`,
        to: `const share = Math.ceil(work.tolerance.share * items);`,
      },
    ],
  },
  {
    name: "a failed item does not fail its map",
    changes: [
      {
        file: "kernel/src/rules/consequences.ts",
        from: `  else if (region.kind !== "compensation") failScope(`,
        to: `  else if (region.kind !== "compensation" && region.kind !== "items") failScope(`,
      },
    ],
  },
  {
    name: "a scope that was drained counts as completed",
    changes: [
      {
        file: "kernel/src/rules/consequences.ts",
        from: `(end.kind === "again" || hasCancelled(state, region))`,
        to: `end.kind === "again"`,
      },
    ],
  },
];
