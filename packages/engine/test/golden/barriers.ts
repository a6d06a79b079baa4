// A golden execution about barriers: steps that complete without having started.

import { PermanentError } from "@segno/kernel";
import { step, type Scenario } from "./scenario.ts";

const barrier = { action: { kind: "barrier" } } as const;

export const BARRIERS: Scenario = {
  name: "barriers",
  about: "barriers: behind a success and a failure, one behind another, skipped by a condition, and with an output",
  ends: "completed",
  workflows: [
    {
      name: "barriers",
      steps: [
        step("first"),
        step("broken", { onError: "continue" }),
        step("met", { ...barrier, after: ["first"], settled: ["broken"] }),
        step("again", { ...barrier, after: ["met"], output: { select: "'met'", to: "variables.state" } }),
        step("unwanted", { ...barrier, when: "input.wanted", after: ["first"] }),
        step("last", { after: ["again", "unwanted"], input: "${ variables.state }" }),
      ],
      output: "${ steps.last.output }",
    },
  ],
  agents: () => ({
    first: async () => "done",
    broken: async () => {
      throw new PermanentError("it broke");
    },
    last: async (input) => input,
  }),
  play: (fixture, id) => fixture.start(id, "barriers", { wanted: false }),
};
