// A golden execution about repetitions: an expression that ends one, with a wait between its iterations, and an attempt that ends another.

import { durationMs } from "@segno/kernel";
import { LastIteration } from "../../src/agents/last-iteration.ts";
import { step, type Scenario } from "./scenario.ts";

export const REPEATS: Scenario = {
  name: "repeats",
  about: "steps that repeat until a condition is true, or until an attempt was the last one",
  ends: "completed",
  workflows: [
    {
      name: "repeats",
      steps: [
        step("poll", {
          action: {
            kind: "repeat",
            until: "last.count >= `2`",
            delay: durationMs(500),
            steps: [step("count", { input: { last: "${ last }", index: "${ index }" } })],
          },
        }),
        step("turns", {
          after: ["poll"],
          action: { kind: "repeat", max: 5, isEndedByHandler: true, steps: [step("turn"), step("note")] },
        }),
      ],
      output: "${ steps.turns.output }",
    },
  ],
  agents: () => {
    let notes = 0;
    return {
      count: (_, { input }) => ({ count: ((input as { last: { count: number } | null }).last?.count ?? 0) + 1 }),
      turn: () => "said",
      note: () => (++notes === 2 ? new LastIteration("noted") : "noted"),
    };
  },
  play: async (fixture, id) => {
    await fixture.start(id, "repeats", null);
    await fixture.advance(20_000);
  },
};
