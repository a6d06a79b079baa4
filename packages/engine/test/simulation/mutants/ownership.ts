// Planted bugs of ownership and of the inbox: writers, and posted messages (LEASE-1, LEASE-2, LEASE-5).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const OWNERSHIP: readonly Mutant[] = [
  {
    name: "an owner that lost the store goes on with its executions",
    changes: [
      {
        file: "engine/src/executions/executions.ts",
        from: `    for (const execution of this.#live.all()) this.#ports.evictor.abortAndEvict(execution, reason, error);\n`,
        to: ``,
      },
    ],
  },
  {
    name: "an engine that could not open goes on half open",
    changes: [{ file: "engine/src/api/engine-lifecycle.ts", from: `      await this.close({});\n`, to: `` }],
  },
  {
    name: "messages not taken with their turn",
    changes: [
      {
        file: "engine/src/turn/turn-loop.ts",
        from: `committer.commit(turn.append, turn.messages, (`,
        to: `committer.commit(turn.append, [], (`,
      },
    ],
  },
  {
    name: "a message is forgotten when its execution cannot be loaded",
    changes: [
      {
        file: "engine/src/inbox/inbox-poller.ts",
        from: `      this.#inFlight.delete(message.id);\n      throw error;`,
        to: `      throw error;`,
      },
    ],
  },
  {
    name: "a direct command overtakes the messages that are posted",
    changes: [
      {
        file: "engine/src/inbox/command-sender.ts",
        from: `await access.afterPosted(id, () => this.#deliver(id, command))`,
        to: `await this.#deliver(id, command)`,
      },
    ],
  },
  {
    name: "a start is posted although another one has its id",
    changes: [{ file: "engine/src/inbox/execution-starter.ts", from: `      isStart: true,\n`, to: `` }],
  },
  {
    name: "no fence: the result of an old attempt counts",
    changes: [
      {
        file: "kernel/src/rules/attempt.ts",
        from: `  if (state.columns.epoch[step] !== epoch) return ignore(state, "stale");\n  if (phase === RUNNING)`,
        to: `  if (phase === RUNNING)`,
      },
      {
        file: "engine/src/runners/main-thread-runner.ts",
        from: `    return phase === "active";`,
        to: `    return phase !== "over";`,
      },
    ],
  },
];
