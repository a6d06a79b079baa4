// The workflow of the crash tests: twenty steps with a retry that succeeds, a fallback, a step that may fail, a skipped
// branch and a join. Its handlers are deterministic, so its result is known.

import { stepId, type Definition, type Json, type StepDefinition } from "@segno/kernel";
import type { AgentFunction } from "../../src/index.ts";

function step(id: string, agent: string, after: readonly string[], more: Partial<StepDefinition> = {}): StepDefinition {
  const dependsOn = after.map((each) => ({ step: stepId(each), on: "succeeded" as const }));
  return {
    id: stepId(id),
    action: { kind: "agent", agent: `sample/${agent}` },
    ...(after.length === 0 ? {} : { dependsOn }),
    input: { id },
    ...more,
  };
}

const quick = { retry: { attempts: 3, base: 1 as never } };
const chain = Array.from({ length: 10 }, (_, index) =>
  step(`c${index}`, "ok", index === 0 ? ["a"] : [`c${index - 1}`]),
);

export const SAMPLE: Definition = {
  name: "sample",
  steps: [
    step("a", "ok", []),
    step("flaky", "flaky", ["a"], quick),
    step("broken", "broken", ["a"], { ...quick, fallback: stepId("rescue") }),
    step("rescue", "ok", []),
    step("optional", "broken", ["a"], { onError: "continue", retry: { attempts: 1 } }),
    step("after-optional", "ok", ["optional"]),
    step("skipped", "ok", ["a"], { when: "input.nothing" }),
    step("after-skipped", "ok", ["skipped"]),
    ...chain,
    step("join", "ok", ["flaky", "broken", "after-skipped", "c9"]),
    { ...step("clean", "ok", []), dependsOn: [{ step: stepId("join"), on: "settled" }] },
  ],
  output: { join: "${ steps.join.output }", rescue: "${ steps.broken.output }", clean: "${ steps.clean.output }" },
};

export const SAMPLE_RESULT: Json = { join: "join done", rescue: "rescue done", clean: "clean done" };

export const SAMPLE_AGENTS: Readonly<Record<string, AgentFunction>> = {
  "sample/ok": async (input) => `${(input as { id: string }).id} done`,
  "sample/flaky": async (_, { attempt }) => {
    if (attempt < 3) throw new Error("not yet");
    return "healed";
  },
  "sample/broken": async () => {
    throw new Error("never");
  },
};

/** The expected result of every run. */
export const SAMPLE_END: Readonly<Record<string, string>> = Object.fromEntries(
  SAMPLE.steps.map(({ id }) => [
    id,
    { broken: "failed", optional: "failed", "after-optional": "skipped", skipped: "skipped" }[id as string] ??
      "succeeded",
  ]),
);
