// The options of a step whose map has a source: the source and the map are two steps, but one to their users.

import { PermanentError, type Definition } from "@segno/kernel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { map, workflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { statuses } from "./fixture.ts";

const same = <Item>({ item }: { readonly item: Item }): Item => item;
const broken = (): never => {
  throw new PermanentError("no list today");
};

describe("a map over a source that ends without a list", () => {
  it("STATE-5 is skipped with its source where the condition is false, and is null to others", async () => {
    await using test = await openTestEngine();
    const built = workflow<{ readonly go: boolean }>("maybe")
      .step(
        "all",
        { when: "input.go" },
        map([1, 2], ({ item }) => item),
      )
      .output(({ outputs }) => outputs.all);
    const [skipped, ran] = [await test.start(built, { go: false }), await test.start(built, { go: true })];
    const result = await skipped.result();
    expectTypeOf(result).toEqualTypeOf<readonly number[] | null>();
    expect([result, await ran.result()]).toEqual([null, [1, 2]]);
    expect(await statuses(skipped)).toMatchObject({ "all-items": "skipped", all: "skipped" });
  });

  it("STATE-7 fails the execution by the failure of its source", async () => {
    await using test = await openTestEngine();
    const execution = await test.start(workflow("fails").step("all", map(broken, same)));
    await expect(execution.result()).rejects.toThrow("no list today");
    expect(await statuses(execution)).toMatchObject({ "all-items": "failed", all: "skipped" });
  });

  it("STATE-7 fails nothing where its failure may happen, and is null to others", async () => {
    await using test = await openTestEngine();
    const built = workflow("goes-on")
      .step("all", { onError: "continue" }, map(broken, same))
      .output(({ outputs: { all } }) => ({ all }));
    expect(await (await test.start(built)).result()).toEqual({ all: null });
  });

  it("STATE-2 reads again in a new round", async () => {
    await using test = await openTestEngine();
    let isBroken = true;
    const built = workflow("again")
      .step(
        "all",
        map(() => (isBroken ? broken() : [1]), same),
      )
      .output(({ outputs }) => outputs.all);
    const execution = await test.start(built);
    await expect(execution.result()).rejects.toThrow("no list today");
    isBroken = false;
    await execution.retry();
    expect(await execution.result()).toEqual([1]);
  });
});

describe("a source", () => {
  it("STATE-6 cleans up with its map while an execution fails", async () => {
    await using test = await openTestEngine();
    const seen: unknown[] = [];
    const built = workflow("clean")
      .step("work", broken)
      .step(
        "tidy",
        { dependsOn: [{ step: "work", on: "settled" }] },
        map(
          ({ outputs }) => [outputs.work, "b"],
          ({ item }) => void seen.push(item),
        ),
      );
    await expect((await test.start(built)).result()).rejects.toThrow("no list today");
    expect(seen).toEqual([null, "b"]);
  });

  it("DATA-2 is given the input of its step, and nobody else sees what it gave", async () => {
    await using test = await openTestEngine();
    const built = workflow<{ readonly n: number }>("given")
      .step(
        "all",
        { input: ["${ input.n }"] },
        map(({ input }) => input as readonly number[], same),
      )
      .output(({ outputs }) => outputs);
    expect(await (await test.start(built, { n: 5 })).result()).toEqual({ all: [5] });
  });

  it("FAIL-4 is bounded by the timeout of its step, and so are the items together; each item by that of the map", () => {
    const built = workflow("bounded").step("all", { timeout: "1m" }, map([1], same, { timeout: "1s" }));
    const [source, all] = built.definition.steps;
    expect([source, all]).toMatchObject([
      { timeout: 60_000 },
      { timeout: 60_000, action: { steps: [{ timeout: 1000 }] } },
    ]);
  });

  it("JOURNAL-2 keeps each item as it was when it was given", async () => {
    await using test = await openTestEngine();
    const built = workflow("reused")
      .step(
        "all",
        map(function* () {
          const item = { n: 0 };
          for (; item.n < 3; item.n++) yield item;
        }, same),
      )
      .output(({ outputs }) => outputs.all);
    expect(await (await test.start(built)).result()).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });
});

describe("a source that cannot be", () => {
  const definition = (built: { readonly definition: Definition }) => () => built.definition;

  it("GRAPH-7 has an id of its own, which no other step may have", () => {
    const before = workflow("clash").step("all-items", () => 1);
    const clash = /step `all`: its items are read by a step `all-items`; rename the other one/u;
    expect(definition(before.step("all", map([1], same)))).toThrow(clash);
    expect(
      definition(
        workflow("clash")
          .step("all", map([1], same))
          .step("all-items", () => 1),
      ),
    ).toThrow(clash);
    expect(definition(before.step("all", map("input", same)))).not.toThrow();
  });

  it("STATE-8 can neither have a fallback nor be one", () => {
    const reason = /step `all`: a map over a list or a function can neither have a fallback nor be one/u;
    const spare = workflow("spare").step("spare", () => 1);
    expect(definition(spare.step("all", { fallback: "spare" }, map([1], same)))).toThrow(reason);
    const stands = workflow("stands").step("all", map([1], same));
    expect(definition(stands.step("work", { fallback: "all" }, () => 1))).toThrow(reason);
  });
});
