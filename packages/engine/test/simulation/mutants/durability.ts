// Planted bugs of durability: acknowledging, storing, showing and reading back (JOURNAL-1 to JOURNAL-6, CONTRACT-8).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const DURABILITY: readonly Mutant[] = [
  {
    name: "acknowledged before the commit",
    changes: [
      {
        file: "engine/src/turn/turn-loop.ts",
        from: `execution.turnStage = "committing";`,
        to: `execution.turnStage = "committing";
    for (const effect of turn.effects.splice(0)) this.#perform(execution, effect);
    turn.answerAll();`,
      },
    ],
  },
  {
    name: "head of the journal not checked",
    changes: [
      {
        file: "engine/src/journal/read-journal.ts",
        from: `read.head === loaded.projection.head) return read;`,
        to: `read.head !== "never") return read;`,
      },
    ],
  },
  {
    name: "chain of the journal not checked",
    changes: [
      {
        file: "engine/src/journal/read-journal.ts",
        from: `return chainHash(events, head) === block.hash`,
        to: `return chainHash(events, head) !== ""`,
      },
    ],
  },
  {
    name: "status ahead of the journal",
    changes: [
      {
        file: "engine/src/executions/executions.ts",
        from: `if (isQuiescent(live) ||`,
        to: `if (live !== undefined ||`,
      },
    ],
  },
  {
    name: "definitions of sub-workflows not stored",
    changes: [
      {
        file: "engine/src/turn/append.ts",
        from: `calledDefinitions(events, storage);`,
        to: `calledDefinitions(events.slice(0, 0), storage);`,
      },
      {
        file: "engine/src/inbox/execution-starter.ts",
        from: `new Set([registered, ...this.#ports.registry.calledBy(registered).values()]);`,
        to: `new Set([registered]);`,
      },
    ],
  },
  {
    name: "a sub-workflow is looked up anew when it is called",
    changes: [
      {
        file: "engine/src/attempts/dispatcher.ts",
        from: `called !== undefined && registry.program(called) !== undefined ? called : registry`,
        to: `called !== undefined && registry.program(called) === undefined ? called : registry`,
      },
    ],
  },
  {
    name: "stored inputs not loaded after a recovery",
    changes: [
      {
        file: "engine/src/attempts/dispatcher.ts",
        from: `const missingCallInputs = missingInputs(liveExecution, effect);`,
        to: `const missingCallInputs = missingInputs(liveExecution, effect).slice(0, 0);`,
      },
    ],
  },
];
