// Signals: kept until a step waits, counted once, checked before they are sent (BEYOND-2).

import { describe, expect, it } from "vitest";
import { Engine } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { readEvents } from "../engine/sample-flow.ts";
import { commits, contract } from "./questions.ts";

const LISTENS = contract(`
name: listens
steps:
  - { id: before, wait: { for: 1m } }
  - { id: paid, wait: { signal: paid, schema: { type: object, required: [amount] }, timeout: 1h }, dependsOn: [before] }
output: \${ steps.paid.output }
`);

describe("a signal", () => {
  it("BEYOND-2 that comes early is kept, also over a crash, and counts once by its id", async () => {
    await using test = await openTestEngine();
    const { id } = await test.start(LISTENS);
    await test.untilIdle();
    expect(await (await test.get(id)).signal("paid", { amount: 7 }, { id: "p1" })).toEqual({ kind: "accepted" });
    await test.crash();
    const handle = await test.get(id);
    expect(await handle.signal("paid", { amount: 8 }, { id: "p1" })).toMatchObject({ reason: "duplicate" });
    await test.advance("1m");
    expect(await handle.result()).toEqual({ amount: 7 });
    expect(await readEvents(handle, "signal.received")).toHaveLength(1);
  });

  it("BEYOND-2 is seen by its step within one commit", async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    const handle = await engine.start(contract("name: one\nsteps: [{ id: a, wait: { signal: go } }]\n"));
    await handle.signal("go", 7);
    await handle.result();
    expect((await commits(store, handle.id)).at(-1)).toEqual([
      "signal.received",
      "step.completed",
      "execution.completed",
    ]);
  });

  it("SIGNAL_INVALID that does not fit is refused by the step, which waits on; SIGNAL_TIMEOUT until its time is over", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(LISTENS);
    await test.advance("1m");
    await expect(handle.signal("paid", "a lot")).rejects.toMatchObject({
      code: "SIGNAL_INVALID",
      message:
        "the signal `paid` does not match the schema of `paid`, which keeps waiting: the payload: must be object",
    });
    await expect(handle.signal("paid", { amuont: 7 })).rejects.toThrow(
      "the signal `paid` does not match the schema of `paid`, which keeps waiting: the payload: `amount` is missing",
    );
    expect((await readEvents(handle, "signal.refused")).map(({ failure }) => failure.code)).toEqual([
      "SIGNAL_INVALID",
      "SIGNAL_INVALID",
    ]);
    await test.advance("1h");
    expect((await handle.status()).failure).toMatchObject({ code: "SIGNAL_TIMEOUT" });
  });
});

describe("a signal that cannot count", () => {
  it("BEYOND-2 to what has ended is answered with how it ended", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(contract("name: short\nsteps: [{ id: a, wait: { for: 1ms } }]\n"));
    await test.advance("1s");
    expect(await handle.signal("paid")).toEqual({ kind: "ignored", reason: "ended", status: "completed" });
  });

  it("CANCEL-6 to what has ended is answered so without a store too", async () => {
    await using engine = await Engine.open({ store: "none" });
    const handle = await engine.start(contract("name: short\nsteps: [{ id: a, wait: { for: 1ms } }]\n"));
    await handle.result();
    const ended = { kind: "ignored", reason: "ended", status: "completed" };
    expect(await handle.signal("paid")).toEqual(ended);
    expect(await handle.approve("a", { by: "ann" })).toEqual(ended);
  });

  it.each(["", "a b", "-a", "9", "pa/id", "paid\n", "ä", "x".repeat(129), "\uD800"])(
    "NAME_INVALID with a name that no step can wait for, %j, is refused",
    async (name) => {
      await using test = await openTestEngine();
      const handle = await test.start(LISTENS);
      await expect(handle.signal(name)).rejects.toMatchObject({ code: "NAME_INVALID" });
    },
  );

  it.each<readonly [string, unknown]>([
    ["a function", () => 1],
    ["a BigInt", 1n],
    ["NaN", { amount: Number.NaN }],
    ["a Map", new Map()],
  ])("INPUT_INVALID with a payload that is no JSON, %s, is refused", async (_, payload) => {
    await using test = await openTestEngine();
    const handle = await test.start(LISTENS);
    await expect(handle.signal("paid", payload as never)).rejects.toMatchObject({ code: "INPUT_INVALID" });
    await expect(handle.signal("paid", null, { id: "" })).rejects.toMatchObject({ code: "NAME_INVALID" });
  });
});
