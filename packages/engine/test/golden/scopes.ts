// Golden executions about scopes: maps, sub-workflows and dynamic steps.

import { durationMs, PermanentError, stepId, type Definition } from "@segno/kernel";
import { hang, script, succeed } from "../../src/testing/script.ts";
import { step, type Scenario } from "./scenario.ts";

const MAP: Scenario = {
  name: "map",
  about: "a map over items, two steps each, of which one item may fail; its output is gathered from its children",
  ends: "completed",
  workflows: [
    {
      name: "map",
      steps: [
        step("each", {
          action: {
            kind: "map",
            over: "input",
            steps: [step("load", { input: "${ item }" }), step("check", { after: ["load"] })],
            result: stepId("load"),
            tolerance: 1,
            concurrency: 2,
          },
        }),
        step("sum", { after: ["each"], input: "${ steps.each.output }" }),
      ],
      output: "${ steps.sum.output }",
    },
  ],
  agents: () => ({
    load: async (input) => {
      if (input === 2) throw new PermanentError("two is too much");
      return { item: input };
    },
    check: async () => null,
    sum: async (input) => input,
  }),
  play: (fixture, id) => fixture.start(id, "map", [1, 2, 3]),
};

const TOLERATED: Scenario = {
  name: "tolerated",
  about:
    "a completed execution with labels that tries a tolerated failure again: a second round for it and its dependants",
  ends: "completed",
  workflows: [
    {
      name: "tolerated",
      steps: [
        step("each", {
          action: { kind: "map", over: "input", steps: [step("load", { input: "${ item }" })], tolerance: 1 },
        }),
        step("sum", { after: ["each"], input: "${ steps.each.output }" }),
        step("other"),
      ],
      output: "${ steps.sum.output }",
    },
  ],
  agents: () => {
    let isRepaired = false;
    return {
      load: async (input) => {
        if (input === 2 && !isRepaired) throw new PermanentError("two is too much");
        return input;
      },
      sum: async (input) => {
        isRepaired = true;
        return input;
      },
      other: async () => null,
    };
  },
  play: async (fixture, id) => {
    await fixture.start(id, "tolerated", [1, 2], { labels: { team: "golden", env: "test" } });
    await fixture.advance(1000);
    await fixture.tell(id, { kind: "retry", by: "ana", tolerated: true });
  },
};

const MAP_FAILS: Scenario = {
  name: "map-fails",
  about: "a map that one item fails: its other children are stopped, and the workflow goes on without it",
  ends: "completed",
  workflows: [
    {
      name: "map-fails",
      grace: durationMs(200),
      steps: [
        step("each", {
          action: {
            kind: "map",
            over: "`[0, 1]`",
            steps: [step("work", { input: { n: "${ item }" } }), step("more", { after: ["work"] })],
          },
          onError: "continue",
        }),
        step("empty", { action: { kind: "map", over: "`[]`", steps: [step("work")] } }),
        step("after", { settled: ["each", "empty"] }),
      ],
    },
  ],
  agents: () => ({
    work: async (input) => {
      if ((input as { n: number }).n === 1) throw new PermanentError("one is too much");
      return new Promise(() => undefined);
    },
    more: async () => null,
    after: async () => "went on",
  }),
  play: async (fixture, id) => {
    await fixture.start(id, "map-fails");
    await fixture.advance(1000);
  },
};

const CHILD: Definition = {
  name: "child",
  version: "1.0.0",
  input: { type: "object", required: ["n"] },
  steps: [step("double", { input: { n: "${ input.n }" } }), step("wait-a-little", { after: ["double"] })],
  output: { doubled: "${ steps.double.output }" },
};

const SUB_WORKFLOW: Scenario = {
  name: "sub-workflow",
  about: "a workflow inside a workflow, one inside a map, one whose input does not fit, and one that nobody knows",
  ends: "completed",
  workflows: [
    CHILD,
    {
      name: "sub-workflow",
      steps: [
        step("call", { action: { kind: "workflow", workflow: "child" }, input: { n: 21 } }),
        step("many", {
          after: ["call"],
          action: {
            kind: "map",
            over: "`[1, 2]`",
            steps: [step("one", { action: { kind: "workflow", workflow: "child@1.0.0" }, input: { n: "${ item }" } })],
          },
        }),
        step("misfit", { action: { kind: "workflow", workflow: "child" }, input: {}, onError: "continue" }),
        step("nowhere", { action: { kind: "workflow", workflow: "nowhere" }, onError: "continue" }),
      ],
      output: { one: "${ steps.call.output }", many: "${ steps.many.output }" },
    },
  ],
  agents: () => ({
    double: async (input) => 2 * (input as { n: number }).n,
    "wait-a-little": script([succeed(null, { after: "10ms" })]),
  }),
  play: async (fixture, id) => {
    await fixture.start(id, "sub-workflow");
    await fixture.advance(1000);
  },
};

const RUN_TIME_STEPS: Scenario = {
  name: "run-time-steps",
  about: "attempts that return steps to run in their place, one with a result of its own",
  ends: "completed",
  workflows: [
    {
      name: "run-time-steps",
      steps: [step("plan"), step("plan-too"), step("use", { after: ["plan"], input: "${ steps.plan.output }" })],
      output: "${ steps.use.output }",
    },
  ],
  agents: () => ({
    plan: script([hang()]),
    "plan-too": script([hang()]),
    made: async (input) => input,
    use: async (input) => input,
  }),
  play: async (fixture, id) => {
    await fixture.start(id, "run-time-steps");
    const made = { kind: "agent", agent: "made" } as const;
    const steps = [
      step("first", { action: made, input: { n: 1 } }),
      step("second", { action: made, after: ["first"], input: { before: "${ steps.first.output }" } }),
      step("third", { action: made, after: ["first"] }),
    ];
    const outcome = { kind: "expanded", steps, result: "second" } as const;
    await fixture.tell(id, { kind: "ended", ...(await fixture.stepIndex(id, "plan")), outcome });
    const rest = { kind: "expanded", steps: steps.slice(0, 1) } as const;
    await fixture.tell(id, { kind: "ended", ...(await fixture.stepIndex(id, "plan-too")), outcome: rest });
  },
};

export const SCOPES: readonly Scenario[] = [MAP, TOLERATED, MAP_FAILS, SUB_WORKFLOW, RUN_TIME_STEPS];
