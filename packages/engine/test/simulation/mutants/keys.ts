// Planted bugs of idempotency: keys of starts and tokens of attempts (IDEM-1 to IDEM-4).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const KEYS: readonly Mutant[] = [
  {
    name: "two starts with one key make two executions",
    changes: [
      {
        file: "engine/src/inbox/execution-starter.ts",
        from: `await this.#ports.keys.mutex.run(\`key \${key}\`,`,
        to: `await this.#ports.keys.mutex.run(\`key \${key} \${this.#ports.environment.id()}\`,`,
      },
      {
        file: "engine/src/store/fence.ts",
        from: `if (keyHolder === undefined || keyHolder === previousWithKey) return undefined;`,
        to: `if (previousWithKey !== "never" || keyHolder === undefined) return undefined;`,
      },
    ],
  },
  {
    name: "a key is free at exactly the end of its time",
    changes: [
      {
        file: "engine/src/idempotency/keys.ts",
        from: `updatedAt >= this.#ages.before(KEY_LIFE_MS)`,
        to: `updatedAt > this.#ages.before(KEY_LIFE_MS)`,
      },
    ],
  },
  {
    name: "a key still stands for an execution that failed",
    changes: [
      {
        file: "engine/src/idempotency/keys.ts",
        from: `if (status === "failed" || status === "cancelled") return false;`,
        to: `if (status === "cancelled") return false;`,
      },
    ],
  },
  {
    name: "a key is given to another input",
    changes: [
      {
        file: "engine/src/idempotency/keys.ts",
        from: `if (holder.payload === payload) return holder.id;`,
        to: `if (holder.payload !== undefined) return holder.id;`,
      },
    ],
  },
  {
    name: "a key is free while its execution is paused",
    changes: [
      {
        file: "engine/src/idempotency/keys.ts",
        from: `if (status === "failed" ||`,
        to: `if (status === "paused" || status === "failed" ||`,
      },
    ],
  },
  {
    name: "every attempt has a token of its own",
    changes: [
      {
        file: "engine/src/attempts/step-attempt.ts",
        from: `return attemptToken({ executionId: execution,`,
        to: `return attemptToken({ executionId: \`\${execution} \${this.attempt}\`,`,
      },
    ],
  },
];
