import { stepId, type Definition, type StepDefinition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { callCycle, toCaller } from "./call-cycle.ts";
import { Engine } from "../api/engine.ts";

const calling = (workflow: string, rest: Partial<StepDefinition> = {}): StepDefinition => ({
  id: stepId(`call-${workflow}`),
  action: { kind: "workflow", workflow },
  ...rest,
});

const flow = (name: string, ...steps: readonly StepDefinition[]): Definition => ({ name, steps });

function cycleFrom(...definitions: readonly Definition[]): readonly string[] | undefined {
  const callers = definitions.map(toCaller);
  return callCycle(callers[0]!, (name) => callers.find((each) => each.name === name));
}

describe("BEYOND-1 workflows that call each other", () => {
  it("are found out where they could never end, and the way is named", () => {
    expect(cycleFrom(flow("a", calling("a")))).toEqual(["a", "a"]);
    const [a, b, c] = [flow("a", calling("b")), flow("b", calling("c")), flow("c", calling("d"), calling("b"))];
    expect(cycleFrom(a, b, c)).toEqual(["b", "c", "b"]);
  });

  it("may do so where a condition, a fallback or a switch can be the way out", () => {
    expect(cycleFrom(flow("a", calling("a", { when: "input.more" })))).toBeUndefined();
    expect(cycleFrom(flow("a", calling("a", { enabled: false })))).toBeUndefined();
    const first: StepDefinition = {
      id: stepId("x"),
      action: { kind: "agent", agent: "x" },
      fallback: stepId("call-a"),
    };
    expect(cycleFrom(flow("a", first, calling("a")))).toBeUndefined();
  });

  it("may share one, however many ways lead there", () => {
    const layers = Array.from({ length: 40 }, (_, level) =>
      flow(`w${level}`, calling(`w${level + 1}`), { ...calling(`w${level + 1}`), id: stepId("again") }),
    );
    expect(cycleFrom(...layers, flow("w40"))).toBeUndefined();
  });

  it("WORKFLOW_CYCLE is refused before anything starts", async () => {
    await using engine = await Engine.open({ store: "none" });
    engine.register(flow("b", calling("a")));
    await expect(engine.start(flow("a", calling("b")))).rejects.toMatchObject({
      code: "WORKFLOW_CYCLE",
      message: expect.stringContaining("a -> b -> a"),
    });
    expect((await engine.list()).executions).toEqual([]);
  });
});
