// Planted bugs of retention (JOURNAL-7).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const RETENTION: readonly Mutant[] = [
  {
    name: "ended executions are never removed",
    changes: [
      {
        file: "engine/src/ownership/retention.ts",
        from: `if (endedMs !== undefined) await this.#repeat(endedMs, (`,
        to: `if (endedMs === 0) await this.#repeat(endedMs, (`,
      },
    ],
  },
  {
    name: "ended executions are removed before their time",
    changes: [
      {
        file: "engine/src/ownership/retention.ts",
        from: `await this.#repeat(endedMs, (`,
        to: `await this.#repeat(endedMs / 10, (`,
      },
    ],
  },
  {
    name: "executions that have not ended are removed as well",
    changes: [
      {
        file: "engine/src/store/memory/memory-store.ts",
        from: `isEnded(one.projection.status) && one.projection.updatedAt < before;`,
        to: `one.projection.updatedAt < before;`,
      },
    ],
  },
];
