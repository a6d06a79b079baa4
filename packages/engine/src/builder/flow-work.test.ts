import type { Json } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { Engine } from "../api/engine.ts";
import { expand } from "../agents/expansion.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { shell } from "./command.ts";
import { child } from "./child-work.ts";
import { approval, barrier, map, waitForSignal, sleep, sleepUntil, type Approval } from "./flow-work.ts";
import { agent } from "./named-agent.ts";
import { workflow } from "./workflow.ts";

const open = (): Promise<Engine> => Engine.open({ store: new MemoryStore() });

describe("BEYOND-1 map", () => {
  it("gives a function each item with its place, and its results in the order of the items", async () => {
    await using engine = await open();
    const built = workflow("sizes")
      .step("files", () => ["a", "bb", "ccc"])
      .step(
        "sizes",
        { dependsOn: ["files"] },
        map("steps.files.output", ({ item, index }: { item: string; index: number }) => ({ size: item.length, index })),
      )
      .output(({ outputs }) => outputs.sizes);
    const result = await (await engine.start(built)).result();
    expectTypeOf(result).toEqualTypeOf<readonly { size: number; index: number }[]>();
    expect(result).toEqual([1, 2, 3].map((size, index) => ({ size, index })));
  });

  it("runs no more items at once than it says", async () => {
    await using engine = await open();
    let running = 0;
    let most = 0;
    const built = workflow("few").step(
      "all",
      map(
        "input",
        async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
        },
        { concurrency: 2 },
      ),
    );
    await (await engine.start(built, [1, 2, 3, 4, 5, 6])).result();
    expect(most).toBe(2);
  });

  it("tolerates so many failures, tries items again, and says null for those that failed", async () => {
    await using engine = await open();
    const tries = new Map<number, number>();
    const work = ({ item }: { readonly item: number }): number => {
      tries.set(item, (tries.get(item) ?? 0) + 1);
      if (item === 2) throw new Error("never");
      return item;
    };
    const built = workflow("some")
      .step("all", map("input", work, { tolerance: 1, retry: { attempts: 2, base: 1 } }))
      .output(({ outputs }) => outputs.all);
    const result = await (await engine.start(built, [1, 2, 3])).result();
    expectTypeOf(result).toEqualTypeOf<readonly (number | null)[]>();
    expect([result, tries.get(2), tries.get(1)]).toEqual([[1, null, 3], 2, 1]);
  });
});

describe("BEYOND-1 what a map takes", () => {
  it("takes agents and commands as well", async () => {
    await using engine = await open();
    const built = workflow("mixed")
      .step(
        "agents",
        map(
          "input",
          agent("double", (input) => (input as { item: number }).item * 2),
        ),
      )
      .step("commands", map("input", shell('echo "$N"', { env: { N: "${ item }" } })))
      .output(({ outputs: { agents, commands } }) => ({ agents, said: commands.map(({ stdout }) => stdout) }));
    const result = await (await engine.start(built, [1, 2])).result();
    expect(result).toEqual({ agents: [2, 4], said: ["1", "2"] });
  });

  it("MAP_NOT_A_LIST refuses what is no list", async () => {
    await using engine = await open();
    const built = workflow("none").step(
      "all",
      map("input", ({ item }: { item: Json }) => item),
    );
    await expect((await engine.start(built, { a: 1 })).result()).rejects.toThrow(/evaluated to an object, not a list/u);
  });
});

describe("BEYOND-2 waiting", () => {
  it("gives the payload of a signal, also of one that came before it was waited for", async () => {
    await using engine = await open();
    const built = workflow("deploy")
      .step("nap", sleep(1))
      .step("go", { dependsOn: ["nap"] }, waitForSignal<{ version: number }>("go"))
      .output(({ outputs }) => outputs.go.version);
    const execution = await engine.start(built);
    await execution.signal("go", { version: 7 });
    const result = await execution.result();
    expectTypeOf(result).toEqualTypeOf<number>();
    expect(result).toBe(7);
  });

  it("sleeps until a time that has passed for no time at all", async () => {
    await using engine = await open();
    const built = workflow("past").step("then", sleepUntil("2001-01-01T00:00:00Z"));
    expect(await (await engine.start(built)).result()).toBeNull();
  });

  it("gives the votes of an approval", async () => {
    await using engine = await open();
    const built = workflow("ask")
      .step("ok", approval({ by: ["ann", "bob"], quorum: 1, expires: "1ms", onExpire: "approve" }))
      .output(({ outputs }) => outputs.ok);
    const result = await (await engine.start(built)).result();
    expectTypeOf(result).toEqualTypeOf<Approval>();
    expect(result).toEqual({ approved: true, expired: true, votes: [] });
  });
});

describe("BEYOND-1 a barrier", () => {
  it("has ended when all that it depends on has, and gives null", async () => {
    await using engine = await open();
    const seen: string[] = [];
    const built = workflow("meet")
      .step("unit", async () => void seen.push("unit"))
      .step("lint", async () => void seen.push("lint"))
      .step("tested", { dependsOn: ["unit", "lint"] }, barrier())
      .step("deploy", { dependsOn: ["tested"] }, ({ outputs: { tested } }) => {
        expectTypeOf(tested).toEqualTypeOf<null>();
        return [...seen, tested];
      })
      .output(({ outputs }) => outputs.deploy);
    expect(await (await engine.start(built)).result()).toEqual(["unit", "lint", null]);
    expect(built.definition.steps[2]).toMatchObject({ id: "tested", action: { kind: "barrier" } });
  });

  it("STATE-5 is not passed when one of them fails", async () => {
    await using engine = await open();
    const built = workflow("broken")
      .step("unit", { retry: 1 }, () => Promise.reject(new Error("red")))
      .step("tested", { dependsOn: ["unit"] }, barrier())
      .step("deploy", { dependsOn: ["tested"] }, () => 1);
    const execution = await engine.start(built);
    await expect(execution.result()).rejects.toThrow("red");
    expect((await execution.status()).steps.map(({ status }) => status)).toEqual(["failed", "skipped", "skipped"]);
  });
});

describe("BEYOND-1 a workflow as a step", () => {
  const inner = workflow<{ n: number }>("inner")
    .step("twice", ({ input }) => input.n * 2)
    .output(({ outputs: { twice } }) => ({ twice }));

  it("is brought along, gets the step's input and gives its output", async () => {
    await using engine = await open();
    const outer = workflow("outer")
      .step("call", { input: { n: 21 } }, child(inner))
      .output(({ outputs }) => outputs.call.twice);
    const result = await (await engine.start(outer)).result();
    expectTypeOf(result).toEqualTypeOf<number>();
    expect(result).toBe(42);
  });

  it("runs the functions of its own version, whichever was registered last", async () => {
    await using engine = await open();
    const kid = (version: string) =>
      workflow("kid", { version })
        .step("say", () => version)
        .output(({ outputs }) => outputs.say);
    const both = workflow("both")
      .step("one", child(kid("1")))
      .step("two", child(kid("2")))
      .output(({ outputs: { one, two } }) => [one, two]);
    expect(await (await engine.start(both)).result()).toEqual(["1", "2"]);
  });

  it("WORKFLOW_UNKNOWN is known by its name only where it is registered", async () => {
    await using engine = await open();
    const outer = workflow("by-name").step("call", { input: { n: 1 } }, child("inner"));
    await expect((await engine.start(outer)).result()).rejects.toThrow(/inner/u);
    engine.register(inner);
    expect(await (await engine.start(outer)).result()).toBeNull();
  });
});

describe("STATE-9 steps made at run time", () => {
  it("run in the scope of the step that returned them, which gives what one of them gave", async () => {
    await using engine = await open();
    engine.agent("add", (input) => (input as { a: number; b: number }).a + (input as { b: number }).b);
    const built = workflow("dynamic")
      .step("plan", () =>
        expand(
          [
            { id: "one", agent: "add", input: { a: 1, b: 2 } },
            { id: "two", agent: "add", input: { a: "${ steps.one.output }", b: 10 }, dependsOn: ["one"] },
          ],
          { result: "two" },
        ),
      )
      .output(({ outputs }) => outputs.plan);
    const execution = await engine.start(built);
    expect(await execution.result()).toBe(13);
    expect((await execution.status()).steps.map(({ name }) => name)).toEqual([
      "plan",
      "_output",
      "plan/one",
      "plan/two",
    ]);
  });

  it("EXPANSION_INVALID fails the step when they cannot run, and says why", async () => {
    await using engine = await open();
    const built = workflow("broken").step("plan", () => expand([{ id: "x", agent: "a", dependsOn: ["nobody"] }]));
    await expect((await engine.start(built)).result()).rejects.toThrow(/nobody/u);
    const empty = workflow("neither").step("plan", () => expand([{ id: "x" }]));
    await expect((await engine.start(empty)).result()).rejects.toThrow(/cannot run/u);
  });
});
