// The engine as programs use it.

import { describe, expect, it } from "vitest";
import { durationMs, epochMs, stepId, type Definition, type StepDefinition } from "@segno/kernel";
import {
  agent,
  BaseAgent,
  Engine,
  skip,
  SystemEnvironment,
  workflow,
  type AgentFunction,
  type StepContext,
} from "../src/index.ts";
import { MemoryStore } from "../src/store/memory/memory-store.ts";
import { eventually } from "./eventually.ts";

function one(more: Partial<StepDefinition> = {}): Definition {
  return {
    name: "one",
    steps: [{ id: stepId("a"), action: { kind: "agent", agent: "work" }, retry: { attempts: 1 }, ...more }],
  };
}

async function readFailure(
  work: AgentFunction,
  more: Partial<StepDefinition> = {},
): Promise<{ code: string; message: string; class: string; path?: string }> {
  await using engine = await Engine.open({ store: "none", agents: { work } });
  const execution = await engine.start(one(more));
  const error = await execution.result().catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "EXECUTION_FAILED" });
  return (error as { failure: { code: string; message: string; class: string } }).failure;
}

describe("an agent", () => {
  it("FAIL-1 that throws a string fails with it", async () => {
    expect(await readFailure(() => Promise.reject("just text"))).toMatchObject({
      class: "transient",
      message: "just text",
    });
  });

  it("FAIL-1 that throws at once fails like one that throws later", async () => {
    const work = (): never => {
      throw new TypeError("not a function");
    };
    expect(await readFailure(work)).toMatchObject({ class: "permanent", code: "TypeError" });
  });

  it("DATA-8 that returns something other than JSON fails, and the place is named (OUTPUT_NOT_JSON)", async () => {
    const ring: { self?: unknown } = {};
    ring.self = ring;
    for (const [value, path] of [
      [() => 1, "(document)"],
      [10n, "(document)"],
      [{ list: [1, undefined] }, "list[1]"],
      [{ when: new Map() }, "when"],
      [Number.NaN, "(document)"],
    ] as const) {
      expect(await readFailure(async () => value)).toMatchObject({ code: "OUTPUT_NOT_JSON", path });
    }
    expect(await readFailure(async () => ring)).toMatchObject({ code: "OUTPUT_NOT_JSON" });
  });

  it("DATA-8 may return dates and keys without a value: they are taken as `JSON.stringify` takes them (ruling 59)", async () => {
    const work = (): unknown => ({ when: new Date(0), left: undefined });
    await using engine = await Engine.open({ store: "none", agents: { work } });
    const handle = await engine.start(one());
    await handle.result();
    expect(await handle.output("a")).toEqual({ when: "1970-01-01T00:00:00.000Z" });
  });

  it("FAIL-4 that never settles is given up at its timeout", async () => {
    expect(await readFailure(() => new Promise(() => undefined), { timeout: durationMs(20) })).toMatchObject({
      class: "timeout",
      code: "ATTEMPT_TIMEOUT",
    });
  });
});

describe("an agent that is told to stop", () => {
  it("CANCEL-2 that ignores its signal is given up when the grace is over, and its late result counts for nothing", async () => {
    let late: (value: string) => void = () => undefined;
    await using engine = await Engine.open({
      store: "none",
      agents: { work: () => new Promise((resolve) => (late = resolve)) },
    });
    const execution = await engine.start(one());
    expect(await execution.cancel({ graceMs: 10 })).toEqual({ kind: "accepted" });
    await expect(execution.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
    late("too late");
    expect((await execution.status()).steps[0]).toMatchObject({
      status: "cancelled",
      detail: { kind: "stopped", ended: "by-force" },
    });
  });

  it("CANCEL-1 gets a signal that fires when its execution is cancelled, and has its clean-up run", async () => {
    const seen: string[] = [];
    class Waiting extends BaseAgent {
      override perform(_input: unknown, { signal }: StepContext): Promise<void> {
        return new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error)),
        );
      }
      override cleanup(): void {
        seen.push("cleaned up");
      }
    }
    await using engine = await Engine.open({ store: "none", agents: { work: new Waiting() } });
    const execution = await engine.start(one());
    await execution.cancel();
    await expect(execution.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
    expect(seen).toEqual(["cleaned up"]);
    expect((await execution.status()).steps[0]).toMatchObject({ detail: { kind: "stopped", ended: "itself" } });
  });
});

describe("an agent", () => {
  it("STATE-5 may say that there is nothing to do", async () => {
    await using engine = await Engine.open({ store: "none", agents: { work: async () => skip("nothing to do") } });
    const execution = await engine.start(one());
    await execution.result();
    expect((await execution.status()).steps[0]).toMatchObject({ status: "skipped" });
  });

  it("FAIL-9 that nobody registered parks its execution, which goes on when it is there", async () => {
    await using engine = await Engine.open({ store: new MemoryStore() });
    const execution = await engine.start(one());
    expect((await execution.status()).status).toBe("parked");
    engine.agent("work", async () => "here now");
    await execution.result();
    expect((await execution.status()).status).toBe("completed");
  });
});

describe("the engine", () => {
  it("says what is wrong with a stable code", async () => {
    const engine = await Engine.open({ store: new MemoryStore(), agents: { work: async () => 1 } });
    await expect(engine.start("nobody")).rejects.toMatchObject({ code: "WORKFLOW_UNKNOWN" });
    await expect(engine.get("nothing")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    await engine.start(one(), null, { id: "mine" });
    await expect(engine.start(one(), null, { id: "mine" })).rejects.toMatchObject({ code: "EXECUTION_EXISTS" });
    await engine.close();
    await expect(engine.start(one())).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
  });

  it("LEASE-5 that only reads refuses to post, and one that may post does", async () => {
    const store = new MemoryStore();
    const reader = await Engine.open({ store, mode: "readOnly" });
    await expect(reader.start(one())).rejects.toMatchObject({ code: "ENGINE_NOT_OWNER" });
    const poster = await Engine.open({ store, mode: "post" });
    const posted = await poster.start(one(), null, { id: "posted" });
    expect(posted.id).toBe("posted");
    await using owner = await Engine.open({ store, agents: { work: async () => 1 } });
    await (await owner.get("posted")).result();
    expect((await store.poll()).messages).toEqual([]);
  });
});

describe("a start with a key", () => {
  it("IDEM-1 a second start with the same key joins the first, for ten minutes after success", async () => {
    let now = 1_000_000;
    const environment = new (class extends SystemEnvironment {
      override now() {
        return epochMs(now);
      }

      override monotonic() {
        return now;
      }
    })();
    let runs = 0;
    await using engine = await Engine.open({
      store: new MemoryStore(),
      environment,
      agents: { work: async () => ++runs },
    });
    const first = await engine.start(one(), { a: 1 }, { idempotencyKey: "key-1" });
    const joined = await engine.start(one(), { a: 1 }, { idempotencyKey: "key-1" });
    expect(joined.id).toBe(first.id);
    await first.result();
    now += 600_000;
    expect((await engine.start(one(), { a: 1 }, { idempotencyKey: "key-1" })).id).toBe(first.id);
    now += 1;
    const later = await engine.start(one(), { a: 1 }, { idempotencyKey: "key-1" });
    expect(later.id).not.toBe(first.id);
    await later.result();
    expect(runs).toBe(2);
  });

  it("IDEM-1 IDEM-2 a failed execution's key is free at once, another payload is refused, and so is a bad key", async () => {
    const gate = Promise.withResolvers<never>();
    await using engine = await Engine.open({ store: new MemoryStore(), agents: { work: () => gate.promise } });
    const first = await engine.start(one(), 1, { idempotencyKey: "key-2" });
    await expect(engine.start(one(), 2, { idempotencyKey: "key-2" })).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
    });
    gate.reject(new Error("no"));
    await expect(first.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    expect((await engine.start(one(), 2, { idempotencyKey: "key-2" })).id).not.toBe(first.id);
    await expect(engine.start(one(), 1, { idempotencyKey: "not a key" })).rejects.toMatchObject({
      code: "IDEMPOTENCY_KEY_INVALID",
    });
  });
});

describe("the engine", () => {
  it("EVENT-1 EVENT-2 gives the events of an execution in order and without gaps, and a subscriber that throws disturbs nobody", async () => {
    const faults: unknown[] = [];
    await using engine = await Engine.open({
      store: new MemoryStore(),
      agents: { work: async () => 1 },
      onFault: (error) => faults.push(error),
    });
    engine.subscribe({}, () => {
      throw new Error("a bad subscriber");
    });
    const execution = await engine.start(one());
    const seen: number[] = [];
    for await (const event of execution.events()) seen.push(event.seq);
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
    expect(seen.length).toBeGreaterThanOrEqual(6);
    await eventually(() => expect(faults.length).toBeGreaterThan(0));
  });

  it("runs what was built and what was written side by side", async () => {
    const built = workflow<{ name: string }>("built")
      .step("greet", async ({ input }) => `hello ${input.name}`)
      .step("shout", { dependsOn: ["greet"], input: { text: "${ steps.greet.output }" } }, agent("upper"))
      .output(({ outputs: { greet, shout } }) => ({ greet, shout }));
    const upper: AgentFunction = async (input) => (input as { text: string }).text.toUpperCase();
    await using engine = await Engine.open({ store: "none", agents: { upper, work: async () => 1 } });
    expect(await (await engine.start(built, { name: "Ada" })).result()).toEqual({
      greet: "hello Ada",
      shout: "HELLO ADA",
    });
    await (await engine.start(one())).result();
  });
});
