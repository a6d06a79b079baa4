// Agents that are given to an engine replace those that workflows bring.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agent, child, Engine, map, workflow, type BuiltWorkflow, type EngineOptions } from "../../src/index.ts";
import { hang, openTestEngine, script, succeed } from "../../src/testing/index.ts";

const pay = workflow("pay")
  .step(
    "pay",
    agent("pay", () => "of the workflow"),
  )
  .output(({ outputs }) => outputs.pay);

async function resultOf(options: EngineOptions, prepare: (engine: Engine) => void = () => undefined): Promise<unknown> {
  await using engine = await Engine.open({ store: "none", ...options });
  prepare(engine);
  return await (await engine.start(pay)).result();
}

describe("an agent of an engine", () => {
  it("replaces the function that a workflow brings, whichever is registered first", async () => {
    const agents = { pay: () => "of the engine" };
    expect(await resultOf({ agents })).toBe("of the engine");
    expect(await resultOf({ agents, workflows: [pay] })).toBe("of the engine");
    expect(await resultOf({ agents }, (engine) => engine.register(pay))).toBe("of the engine");
    expect(await resultOf({ workflows: [pay] }, (engine) => engine.agent("pay", agents.pay))).toBe("of the engine");
  });

  it("leaves the function of the workflow in use under every other name", async () => {
    expect(await resultOf({ agents: { charge: () => "of the engine" } })).toBe("of the workflow");
  });

  it("replaces it from the next attempt on if it is registered later", async () => {
    await using engine = await Engine.open({ store: "none" });
    expect(await (await engine.start(pay)).result()).toBe("of the workflow");
    engine.agent("pay", () => "of the engine");
    expect(await (await engine.start(pay)).result()).toBe("of the engine");
  });

  it("does not change the hash of the definition", async () => {
    await using bare = await Engine.open({ store: "none" });
    await using given = await Engine.open({ store: "none", agents: { pay: () => "of the engine" } });
    expect(given.register(pay).hash).toBe(bare.register(pay).hash);
  });

  it("may be the result of `agent(name, work)`, with its schemas", async () => {
    const strict = agent("pay", { output: z.string().min(3), execute: () => "no" });
    await expect(resultOf({ agents: { pay: strict } })).rejects.toMatchObject({ failure: { code: "OUTPUT_INVALID" } });
    const given = agent("pay", () => "of the engine");
    expect(await resultOf({}, (engine) => engine.agent("pay", given))).toBe("of the engine");
  });

  it("is refused under another name, and if it is only a name (OPTION_INVALID)", async () => {
    await using engine = await Engine.open({ store: "none" });
    expect(() =>
      engine.agent(
        "charge",
        agent("pay", () => 1),
      ),
    ).toThrow("the agent `pay` is given under the name");
    expect(() => engine.agent("pay", agent("pay"))).toThrow("`pay` is a function, an agent with `execute`");
  });
});

describe("a script", () => {
  const shop = workflow("shop")
    .step("one", child(pay))
    .step(
      "many",
      map(
        () => [1, 2],
        agent("pay", () => "of the map"),
      ),
    )
    .output(({ outputs }) => outputs);

  it("replaces the function that a workflow brings, in items and called workflows as well", async () => {
    const scripted = script([succeed("scripted")]);
    await using test = await openTestEngine({ agents: { pay: scripted } });
    const execution = await test.start(shop);
    expect(await execution.result()).toEqual({ one: "scripted", many: ["scripted", "scripted"] });
    expect(scripted.calls).toHaveLength(3);
  });

  it.each<[string, readonly BuiltWorkflow[]]>([
    ["with", [pay]],
    ["without", []],
  ])("JOURNAL-3 replaces it after a crash too, %s the workflow as an option", async (_, workflows) => {
    const scripted = script([hang(), succeed("scripted")]);
    await using test = await openTestEngine({ workflows: [...workflows], agents: { pay: scripted } });
    const { id } = await test.start(pay);
    await test.untilIdle();
    await test.crash();
    if (workflows.length === 0) test.engine.register(pay);
    expect(await (await test.get(id)).result()).toBe("scripted");
  });
});
