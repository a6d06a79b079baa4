// Planted bugs of retention (JOURNAL-7).

import type { Mutant } from "./mutant.ts";

export const RETENTION: readonly Mutant[] = [
  {
    name: "ended executions are never removed",
    changes: [
      {
        file: "engine/src/recovery/tenure.ts",
        from: `        await this.#removeOld();
`,
        to: ``,
      },
    ],
  },
  {
    name: "ended executions are removed before their time",
    changes: [
      {
        file: "engine/src/recovery/tenure.ts",
        from: `const before = ages.before(endedMs);`,
        to: `const before = ages.before(endedMs / 10);`,
      },
    ],
  },
  {
    name: "executions that have not ended are removed as well",
    changes: [
      {
        file: "engine/src/stores/memory/memory-store.ts",
        from: `.filter(({ projection }) => isEnded(projection.status) && projection.updatedAt < before)`,
        to: `.filter(({ projection }) => projection.updatedAt < before)`,
      },
    ],
  },
];
