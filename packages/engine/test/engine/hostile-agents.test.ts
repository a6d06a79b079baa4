// Agents that throw and return hostile values, which fail when the engine inspects them.

import type { Failure } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { skip, type AgentFunction } from "../../src/index.ts";
import { openTestEngine, script, succeed } from "../../src/testing/index.ts";
import { readEvents, flow, one, step } from "./sample-flow.ts";

const refuse = (): never => {
  throw new Error("hands off");
};

/** Throws at any access. */
function hostile(): object {
  const traps = { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse };
  return new Proxy({}, traps);
}

const throwing = (value: unknown): AgentFunction => {
  return () => {
    throw value;
  };
};

/** The recorded failure of an agent with a healthy neighbour. */
async function readFailure(work: AgentFunction): Promise<Failure> {
  await using test = await openTestEngine({ agents: { work, fine: async () => "fine" } });
  const handle = await test.start(one());
  const neighbour = await test.start(one({ agent: "fine" }));
  await test.advance("1m");
  expect(await neighbour.result()).toBe("fine");
  const { status, steps, failure } = await handle.status();
  expect([status, steps[0]!.status]).toEqual(["failed", "failed"]);
  expect(await test.engine.verify(handle.id)).toMatchObject({ ok: true });
  return failure!;
}

describe("an object that is thrown", () => {
  const text = (): string => refuse();
  it.each([
    ["toString that throws", { toString: text }],
    ["toString that gives no text", { toString: () => ({}) as string }],
    ["prototype of null", Object.create(null) as object],
    ["message that is no text", Object.assign(new Error("x"), { message: { deep: true } })],
  ])("STATE-10 with a %s has a message that a person can read", async (_, value) => {
    expect((await readFailure(throwing(value))).message).toMatch(/\S/u);
  });

  it("FAIL-1 with a message that throws is a failure all the same", async () => {
    const value = {
      get message(): string {
        return refuse();
      },
    };
    expect(await readFailure(throwing(value))).toMatchObject({ class: "transient" });
  });

  it("FAIL-1 with a trap behind every property is a failure all the same", async () => {
    expect(await readFailure(throwing(hostile()))).toMatchObject({ class: "transient" });
  });

  it("FAIL-1 with a trap behind every property keeps no step that starts with it from starting", async () => {
    const fine = script([succeed("fine")]);
    await using test = await openTestEngine({ agents: { work: throwing(hostile()), fine } });
    const bad = step("a", { onError: "continue", retry: { attempts: 1 } });
    const handle = await test.start(flow([bad, step("b", { agent: "fine" })]));
    await test.advance("1m");
    expect([(await handle.status()).status, fine.calls.length]).toEqual(["completed", 1]);
  });
});

describe("an object that is returned", () => {
  it("DATA-8 with a getter that throws fails the step (OUTPUT_NOT_JSON)", async () => {
    const value = {
      get trap(): never {
        return refuse();
      },
    };
    expect(await readFailure(async () => value)).toMatchObject({ class: "permanent", code: "OUTPUT_NOT_JSON" });
  });

  it("DATA-8 at once, with a getter that throws, fails the step (OUTPUT_NOT_JSON)", async () => {
    const value = Object.defineProperty({}, "trap", { enumerable: true, get: refuse });
    expect(await readFailure(() => value)).toMatchObject({ class: "permanent", code: "OUTPUT_NOT_JSON" });
  });

  it("DATA-8 with a trap behind every property fails the step (OUTPUT_NOT_JSON)", async () => {
    expect(await readFailure(async () => ({ trap: hostile() }))).toMatchObject({ code: "OUTPUT_NOT_JSON" });
  });

  it("DATA-8 with a `toJSON` that gives nothing fails the step (OUTPUT_NOT_JSON)", async () => {
    const value = Object.assign([1], { toJSON: () => undefined });
    expect(await readFailure(async () => value)).toMatchObject({ code: "OUTPUT_NOT_JSON" });
  });

  it("DATA-8 that is another at the second look fails the step (OUTPUT_NOT_JSON)", async () => {
    let looks = 0;
    const value = {
      get odd(): unknown {
        return ++looks === 1 ? 1 : 10n;
      },
    };
    expect(await readFailure(async () => value)).toMatchObject({ code: "OUTPUT_NOT_JSON" });
  });
});

describe("what would not fit the journal", () => {
  it("JOURNAL-4 a message of 11 MB is written down in part", async () => {
    expect((await readFailure(throwing(new Error("x".repeat(11_000_000))))).message.length).toBeLessThan(1_000_000);
  });

  it.each([undefined, 7, { toString: null }])(
    "STATE-5 a skip for the reason %s leaves a journal that can be read",
    async (reason) => {
      await using test = await openTestEngine({ agents: { work: async () => skip(reason as never) } });
      const handle = await test.start(one());
      await test.untilIdle();
      expect(await test.engine.verify(handle.id)).toMatchObject({ ok: true });
      expect((await handle.status()).steps[0]).toMatchObject({ status: "skipped" });
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, "soon", null])(
    "FAIL-3 a Retry-After of %s counts as none",
    async (retryAfterMs) => {
      const work = throwing(Object.assign(new Error("later"), { name: "RetryAfterError", retryAfterMs }));
      await using test = await openTestEngine({ agents: { work } });
      const handle = await test.start(one({ retry: { attempts: 2 } }));
      await test.untilIdle();
      const [retried] = await readEvents(handle, "step.retried");
      expect(retried!.dueAt - retried!.at).toBe(1000);
    },
  );

  it.each([1e300, Number.MAX_SAFE_INTEGER])("FAIL-3 a Retry-After of %s harms nobody", async (retryAfterMs) => {
    const faults: unknown[] = [];
    const work = throwing(Object.assign(new Error("later"), { name: "RetryAfterError", retryAfterMs }));
    await using test = await openTestEngine({ agents: { work }, onFault: (error) => faults.push(error) });
    const handle = await test.start(one({ retry: { attempts: 2 } }));
    await test.untilIdle();
    expect(faults).toEqual([]);
    expect((await handle.status()).steps[0]).toMatchObject({ status: "retrying" });
    expect(Number.isSafeInteger((await readEvents(handle, "step.retried"))[0]!.dueAt)).toBe(true);
  });
});
