// Labels of executions, and the filters of a list.

import { SegnoError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { openTestEngine } from "../../src/testing/test-engine.ts";
import { contract } from "../running/fixture.ts";

const QUICK = contract("name: quick\nsteps: [{ id: a, agent: fine }]\n");
const BROKEN = contract("name: broken\nsteps: [{ id: a, agent: bad, retry: 1 }]\n");

function agents(): Record<string, () => unknown> {
  return {
    fine: () => "fine",
    bad: () => {
      throw new Error("the Disk is full");
    },
  };
}

describe("labels", () => {
  it("HTTP-5 are kept, listed and found, also after a crash", async () => {
    await using test = await openTestEngine({ agents: agents() });
    await test.start(QUICK, null, { id: "one", labels: { team: "shop", env: "test" } });
    await test.start(QUICK, null, { id: "two", labels: { team: "bank" } });
    await test.start(QUICK, null, { id: "three" });
    await test.advance("1s");
    await test.crash();
    const { executions } = await test.engine.list();
    expect(executions.map(({ labels }) => labels)).toEqual([{ env: "test", team: "shop" }, { team: "bank" }, {}]);
    const found = await test.engine.list({ labels: { team: "shop" } });
    expect(found.executions.map(({ id }) => id)).toEqual(["one"]);
    expect((await test.engine.list({ labels: { team: "sho" } })).executions).toEqual([]);
  });

  it.each([
    ["a list", ["a"]],
    ["a number as the value", { team: 5 }],
    ["a line break in the value", { team: "a\nb" }],
    ["a space in the name", { "a b": "c" }],
    ["an empty name", { "": "c" }],
    ["a long value", { a: "x".repeat(257) }],
    ["33 of them", Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`l${index}`, "x"]))],
  ])("LABEL_INVALID refuses %s", async (_, labels) => {
    await using test = await openTestEngine({ agents: agents() });
    const start = test.start(QUICK, null, { labels: labels as never });
    await expect(start).rejects.toBeInstanceOf(SegnoError);
    await expect(start).rejects.toMatchObject({ code: "LABEL_INVALID" });
    await expect(test.engine.list({ labels: labels as never })).rejects.toMatchObject({ code: "LABEL_INVALID" });
    expect((await test.engine.list()).executions).toEqual([]);
  });
});

describe("a list", () => {
  it("HTTP-5 finds executions by the time of their creation and by texts", async () => {
    await using test = await openTestEngine({ agents: agents() });
    await test.start(QUICK, null, { id: "one" });
    await test.advance("1h");
    const later = test.now;
    await test.start(BROKEN, null, { id: "two" });
    await test.advance("1m");
    const ids = async (filter: Parameters<typeof test.engine.list>[0]): Promise<readonly string[]> =>
      (await test.engine.list(filter)).executions.map(({ id }) => id);
    expect(await ids({ since: later })).toEqual(["two"]);
    expect(await ids({ until: later })).toEqual(["one"]);
    expect(await ids({ text: "disk IS full" })).toEqual(["two"]);
    expect(await ids({ text: "QUICK" })).toEqual(["one"]);
    expect((await test.engine.list({ text: "two" })).executions[0]).toMatchObject({ failure: "the Disk is full" });
  });

  it.each([{ since: "now" }, { until: 1.5 }, { text: "" }, { text: 5 }, { label: {} }])(
    "OPTION_INVALID refuses %j",
    async (filter) => {
      await using test = await openTestEngine();
      await expect(test.engine.list(filter as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    },
  );

  it("STATE-7 counts failures that are tolerated: items of a map, and steps with `onError: continue`", async () => {
    const text = `
name: nightly
steps:
  - { id: optional, agent: bad, retry: 1, onError: continue }
  - id: all
    map: { over: input, tolerance: 2, steps: [{ id: one, agent: odd, retry: 1, input: "\${ item }" }] }
`;
    const odd = (input: unknown): unknown => {
      if ((input as number) % 2 === 1) throw new Error("odd");
      return input;
    };
    await using test = await openTestEngine({ agents: { ...agents(), odd } });
    await (await test.start(contract(text), [1, 2, 3])).result();
    const { executions } = await test.engine.list();
    expect(executions[0]).toMatchObject({ status: "completed", toleratedFailures: 3, steps: { total: 2, ended: 2 } });
    expect(executions[0]).not.toHaveProperty("failure");
  });
});
