// Planted bugs of recorded calls (STATE-14).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const CALLS: readonly Mutant[] = [
  {
    name: "the next attempt makes a recorded call again",
    changes: [
      {
        file: "engine/src/attempts/attempt-recorder.ts",
        from: `if (recorded === undefined) return undefined;`,
        to: `if (recorded === undefined || recorded.epoch !== this.#attempt.epoch) return undefined;`,
      },
    ],
  },
  {
    name: "a recorded call returns before its value is durable",
    changes: [
      {
        file: "engine/src/attempts/attempt-recorder.ts",
        from: `const reply = await liveExecution.post(`,
        to: `const reply = { kind: "accepted" } as { kind: string }; void liveExecution.post(`,
      },
    ],
  },
];
