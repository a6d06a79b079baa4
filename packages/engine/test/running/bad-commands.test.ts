// Invalid commands to an execution are refused with a code before they are sent, and are never recorded.

import { describe, expect, it } from "vitest";
import { Engine, workflow, type Agent } from "../../src/index.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { parseCommand } from "../../src/inbox/command.ts";
import { contract } from "./fixture.ts";
import { eventually } from "../eventually.ts";

const WAITS = contract("name: w\nsteps: [{ id: a, wait: { signal: go } }]\n");
const ASKS = contract("name: w\nsteps: [{ id: a, approve: {} }]\n");

/** The execution as another process would read it. */
async function statusAfterCrash(test: TestEngine, id: string): Promise<string> {
  await test.crash();
  return (await (await test.get(id)).status()).status;
}

it.each<[string, unknown]>([
  ["options that are none", "undo"],
  ["null", null],
  ["a yes that is text", { undo: "yes" }],
])("FAIL-8 a retry with %s is refused (OPTION_INVALID)", async (_, options) => {
  await using test = await openTestEngine();
  const handle = await test.start(WAITS);
  await expect(handle.retry(options as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

describe("a cancellation", () => {
  it.each<[string, unknown]>([
    ["a fraction of a millisecond", { graceMs: 1.5 }],
    ["less than nothing", { graceMs: -1 }],
    ["no number", { graceMs: Number.NaN }],
    ["more than can be counted", { graceMs: 1e300 }],
    ["another mode", { mode: "soon" }],
    ["no mode", { mode: null }],
    ["a reason that is no text", { reason: 5 }],
    ["a yes that is text", { compensate: "yes" }],
    ["options that are none", "now"],
    ["null", null],
  ])("CANCEL-6 with %s is refused (OPTION_INVALID), and the execution runs on", async (_, options) => {
    await using test = await openTestEngine();
    const handle = await test.start(WAITS);
    await expect(handle.cancel(options as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(await statusAfterCrash(test, handle.id)).toBe("running");
  });

  it("CANCEL-2 with the longest possible grace period can be read and queried", async () => {
    await using test = await openTestEngine({ agents: { hang: () => new Promise(() => undefined) } });
    const handle = await test.start(contract("name: w\nsteps: [{ id: a, agent: hang }]\n"));
    await test.untilIdle();
    expect(await handle.cancel({ graceMs: Number.MAX_SAFE_INTEGER })).toEqual({ kind: "accepted" });
    expect((await handle.status()).status).toBe("cancelling");
    expect(await test.engine.why(handle.id)).not.toEqual([]);
  });

  it("LEASE-5 that another process posted and no journal could hold is removed, and does no harm", async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, pollMs: 5 });
    const handle = await engine.start(WAITS);
    const cancel = { kind: "cancel", mode: "abort", reason: "x" };
    for (const graceMs of [1.5, -1, "5s", 1e300]) {
      const body = JSON.stringify({ ...cancel, graceMs });
      expect(parseCommand(body)).toBeUndefined();
      await store.post({ execution: handle.id as never, body, postedAt: 0 as never });
    }
    await eventually(async () => expect((await store.poll()).messages).toEqual([]));
    expect((await handle.status()).status).toBe("running");
    await handle.cancel({ graceMs: 0 });
  });

  it("JOURNAL-6 a posted start whose random seed or input no journal could hold is not a command", () => {
    const start = { kind: "start", workflow: "w", definition: "d", correlationId: "c", seed: 1, priority: 0, input: 1 };
    expect(parseCommand(JSON.stringify(start))).toEqual(start);
    for (const change of [{ seed: 1.5 }, { seed: "1" }, { input: ["\ud800"] }])
      expect(parseCommand(JSON.stringify({ ...start, ...change }))).toBeUndefined();
    expect(parseCommand(JSON.stringify(start).replace('"priority":0', '"priority":1e999'))).toBeUndefined();
  });
});

describe("votes and signals", () => {
  it.each([undefined, null, 5, {}])("BEYOND-2 with the name %j are refused (NAME_INVALID)", async (odd) => {
    await using test = await openTestEngine();
    const handle = await test.start(ASKS);
    const commands = [
      () => handle.approve("a", { by: odd as never }),
      () => handle.reject(odd as never, { by: "ann" }),
      () => handle.approve("a", odd as never),
      () => handle.signal(odd as never),
    ];
    for (const command of commands) await expect(command()).rejects.toMatchObject({ code: "NAME_INVALID" });
    expect(await handle.approve("a", { by: "ann" })).toEqual({ kind: "accepted" });
  });

  it("JOURNAL-4 a comment or a reason of more than 10 MB is refused (VALUE_TOO_LARGE)", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(ASKS);
    const comment = "x".repeat(11_000_000);
    const tooLarge = { code: "VALUE_TOO_LARGE", message: expect.stringContaining("11000000 bytes") as string };
    await expect(handle.approve("a", { by: "ann", comment })).rejects.toMatchObject(tooLarge);
    await expect(handle.cancel({ reason: comment })).rejects.toMatchObject(tooLarge);
    expect((await handle.status()).status).toBe("running");
  });

  it("DATA-8 a payload that is not JSON at all is reported without a path", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(WAITS);
    const payload = (odd: unknown): Promise<unknown> => handle.signal("go", odd as never);
    await expect(payload(() => 1)).rejects.toThrow("the payload of a signal holds a function, which is not JSON");
    await expect(payload({ a: [1n] })).rejects.toThrow("the payload of a signal holds a bigint at a[0], which");
  });
});

describe("the timeout of an agent", () => {
  it.each([0.5, 1000 / 3])(
    "FAIL-4 of %d ms is rounded up, because a journal has whole milliseconds",
    async (timeoutMs) => {
      const agent: Agent = { timeoutMs, execute: () => new Promise(() => undefined) };
      await using test = await openTestEngine({ agents: { slow: agent } });
      const { id } = await test.start(contract("name: w\nsteps: [{ id: a, agent: slow, retry: 1 }]\n"));
      await test.untilIdle();
      await test.advance("1m");
      await test.crash();
      expect(await (await test.get(id)).status()).toMatchObject({ failure: { code: "ATTEMPT_TIMEOUT" } });
    },
  );
});

describe("half of a surrogate pair", () => {
  const HALF = "a\ud800";

  it("DATA-8 is refused as input and signal (INPUT_INVALID)", async () => {
    await using test = await openTestEngine();
    for (const input of [HALF, { deep: [HALF] }, { [HALF]: 1 }])
      await expect(test.start(WAITS, input)).rejects.toMatchObject({ code: "INPUT_INVALID" });
    const handle = await test.start(WAITS);
    await expect(handle.signal("go", HALF)).rejects.toMatchObject({ code: "INPUT_INVALID" });
  });

  it("DATA-8 is refused as output (OUTPUT_NOT_JSON), and replaced in an error or a reason", async () => {
    await using test = await openTestEngine();
    const returned = await test.start(workflow("r").step("a", () => [HALF]));
    await test.advance("1h");
    expect(await returned.status()).toMatchObject({ failure: { code: "OUTPUT_NOT_JSON", path: "[0]" } });
    const tokens: string[] = [];
    const threw = workflow("t")
      .step("a", { onError: "continue", retry: 1 }, () => {
        throw new Error(HALF);
      })
      .step(
        "b",
        { dependsOn: [{ step: "a", on: "settled" }], input: "${ steps.a.error.message }" },
        ({ token, input }) => {
          tokens.push(token);
          return input;
        },
      )
      .output(({ outputs }) => outputs.b);
    expect(await (await test.start(threw)).result()).toBe("a\ufffd");
    expect(tokens).toHaveLength(1);
  });
});
