// Planted bugs of attempts: retries, backoff and the time that each has (FAIL-2 to FAIL-4).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const ATTEMPTS: readonly Mutant[] = [
  {
    name: "a retry that does not wait for its backoff",
    changes: [
      {
        file: "kernel/src/rules/attempt.ts",
        from: `timer: { kind: "backoff", step, epoch: state.columns.epoch[step]! }, dueAt });`,
        to: `timer: { kind: "backoff", step, epoch: state.columns.epoch[step]! }, dueAt: builder.at });`,
      },
      {
        file: "kernel/src/rules/decide.ts",
        from: `if (dueAt !== undefined && at < dueAt) return`,
        to: `if (dueAt !== undefined && at < dueAt && timer.kind !== "backoff") return`,
      },
      {
        file: "kernel/src/rules/attempt.ts",
        from: `const isDue = event?.kind === "step.retried" && at >= event.dueAt;`,
        to: `const isDue = event?.kind === "step.retried";`,
      },
    ],
  },
  {
    name: "the backoff grows one attempt too early",
    changes: [
      { file: "kernel/src/rules/backoff.ts", from: `policy.factor ** (attempt - 1)`, to: `policy.factor ** attempt` },
    ],
  },
  {
    name: "the backoff has no upper bound",
    changes: [
      {
        file: "kernel/src/rules/backoff.ts",
        from: `const delay = Math.min(policy.base * policy.factor ** (attempt - 1), policy.max);`,
        to: `const delay = policy.base * policy.factor ** (attempt - 1);`,
      },
    ],
  },
  {
    name: "there is one attempt too many",
    changes: [
      {
        file: "kernel/src/rules/backoff.ts",
        from: `if (attempt >= policy.attempts) return false;`,
        to: `if (attempt > policy.attempts) return false;`,
      },
    ],
  },
  {
    name: "a timeout is retried whatever the policy says",
    changes: [
      {
        file: "kernel/src/rules/backoff.ts",
        from: `&& policy.on.includes(failure.class);`,
        to: `&& policy.on.length > 0;`,
      },
    ],
  },
  {
    name: "a time to wait that the other side gave is ignored",
    changes: [
      {
        file: "kernel/src/rules/backoff.ts",
        from: `if (asked !== undefined)`,
        to: `if (asked !== undefined && Number.isNaN(asked))`,
      },
    ],
  },
  {
    name: "a second attempt has no deadline",
    changes: [
      {
        file: "kernel/src/rules/attempt.ts",
        from: `const deadline = timeout === undefined ? undefined`,
        to: `const deadline = timeout === undefined || attempt > 1 ? undefined`,
      },
    ],
  },
  {
    name: "a timeout counts as a transient failure",
    changes: [
      {
        file: "kernel/src/rules/attempt.ts",
        from: `    class: "timeout",
    code: "ATTEMPT_TIMEOUT",`,
        to: `    class: "transient",
    code: "ATTEMPT_TIMEOUT",`,
      },
    ],
  },
];
