import type { Json } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { BaseAgent, functionAgent, type Agent, type NamedAgent } from "../agents/agent.ts";
import { skip, type Skip } from "../agents/skip.ts";
import { agent } from "./named-agent.ts";
import { workflow } from "./workflow.ts";

class Shout extends BaseAgent<string, string> {
  override async perform(input: string): Promise<string> {
    return input.toUpperCase();
  }
}

class Count extends BaseAgent<Json, number | Skip> {
  override perform(input: Json): number | Skip {
    return Array.isArray(input) ? input.length : skip("nothing to count");
  }
}

class Undeclared extends BaseAgent {
  override perform(): string {
    return "what it gives back is in no type argument";
  }
}

describe("the type of a step whose work is an agent", () => {
  it("CONTRACT-1 is what the agent's class gives back", () => {
    const built = workflow("classes")
      .step("shout", agent("shout", new Shout()))
      .step("count", { dependsOn: ["shout"] }, agent("count", new Count()))
      .output(({ outputs: { shout, count } }) => {
        expectTypeOf(shout).toEqualTypeOf<string>();
        expectTypeOf(count).toEqualTypeOf<number | null>();
        return { shout, count };
      });
    expect([...built.agents.keys()]).toEqual(["shout", "count", "classes/_output"]);
  });

  it("CONTRACT-1 is what the agent's `execute` gives back", () => {
    expectTypeOf(agent("plain", { execute: () => 5 })).toEqualTypeOf<NamedAgent<number>>();
    expectTypeOf(agent("late", { execute: async () => ({ id: 7 }) })).toEqualTypeOf<NamedAgent<{ id: number }>>();
    expectTypeOf(agent("function", async () => "text")).toEqualTypeOf<NamedAgent<string>>();
  });

  it("CONTRACT-1 is unknown where the agent does not say, and then what the caller says", () => {
    const untyped: Agent = functionAgent(() => 1);
    expectTypeOf(agent("untyped", untyped)).toEqualTypeOf<NamedAgent<unknown>>();
    expectTypeOf(agent("untyped", new Undeclared())).toEqualTypeOf<NamedAgent<unknown>>();
    expectTypeOf(agent<number>("untyped", untyped)).toEqualTypeOf<NamedAgent<number>>();
    expectTypeOf(agent("named")).toEqualTypeOf<NamedAgent>();
    expect(agent("untyped", untyped).agent).toBe(untyped);
  });
});
