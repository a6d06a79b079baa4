// Agents that throw when the engine reads their properties: no other execution is affected (FAIL-1, T4).

import { describe, expect, it } from "vitest";
import { Engine, type Agent } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { contract } from "../orchestration/recording-agents.ts";

const STORES = [
  ["without a store", (): "none" => "none"],
  ["with a store", (): MemoryStore => new MemoryStore()],
] as const;

const GOOD = contract("{ name: good, steps: [{ id: a, agent: good, timeout: 1m }] }");

function calling(agent: string, more = ""): ReturnType<typeof contract> {
  return contract(`{ name: bad-${agent}, ${more} steps: [{ id: a, agent: ${agent} }] }`);
}

/** Throws when one of its properties is read. */
function throwing(property: keyof Agent): Agent {
  const agent: Agent = { execute: () => 1 };
  Object.defineProperty(agent, property, {
    get: () => {
      throw new TypeError(`no ${property} here`);
    },
  });
  return agent;
}

describe.each(STORES)("%s", (_, store) => {
  it.each(["file://host/x.ts", "file:///a%2fb.ts", "file:"])(
    "FAIL-1 CONTRACT-10 a module that no path can be found for (%s) fails its own execution",
    async (module) => {
      await using engine = await Engine.open({ store: store(), agents: { good: () => "good" } });
      const bad = await engine.start(calling("x", `agents: { x: { module: "${module}" } },`));
      const good = await engine.start(GOOD);
      await expect(bad.result()).rejects.toMatchObject({ failure: { code: "AGENT_MODULE_INVALID" } });
      await expect(good.result()).resolves.toBeNull();
    },
  );

  it("FAIL-1 an agent that throws when it is asked what it needs fails the attempt for good", async () => {
    await using engine = await Engine.open({
      store: store(),
      agents: { good: () => "good", odd: throwing("needsDependencyOutputs") },
    });
    const bad = await engine.start(calling("odd"));
    const good = await engine.start(GOOD);
    await expect(bad.result()).rejects.toMatchObject({
      code: "EXECUTION_FAILED",
      message: expect.stringContaining("no needsDependencyOutputs here"),
    });
    await expect(good.result()).resolves.toBeNull();
  });

  it("FAIL-4 an agent that throws when it is asked for its timeout has none", async () => {
    await using engine = await Engine.open({ store: store(), agents: { odd: throwing("timeoutMs") } });
    await expect((await engine.start(calling("odd"))).result()).resolves.toBeNull();
  });
});

it("BEYOND-1 a chain of 3,000 sub-workflows that end at once needs no stack of 3,000 turns", async () => {
  const inner = contract("{ name: inner, steps: [{ id: p, barrier: true }] }");
  const steps = Array.from({ length: 3000 }, (_, index) => ({
    id: `s${index}`,
    workflow: "inner",
    ...(index === 0 ? {} : { dependsOn: [`s${index - 1}`] }),
  }));
  await using engine = await Engine.open({ store: "none", workflows: [inner] });
  const handle = await engine.start(contract(JSON.stringify({ name: "outer", steps })));
  await expect(handle.result()).resolves.toBeNull();
});
