// Misbehaving agents: each ends in a recorded outcome with a stable code, and affects nothing else.

import type { Failure } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction } from "../../src/index.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { readEvents, one, type StepSketch } from "./sample-flow.ts";

const MEGABYTE = 1_000_000;

async function open(work: AgentFunction, faults: unknown[]): Promise<TestEngine> {
  return openTestEngine({ agents: { work, fine: async () => "fine" }, onFault: (error) => faults.push(error) });
}

/** Runs the agent between two neighbours that must not be affected, and returns its recorded failure. */
async function readFailure(work: AgentFunction, more: StepSketch = {}): Promise<Failure> {
  const faults: unknown[] = [];
  await using test = await open(work, faults);
  const before = await test.start(one({ agent: "fine" }));
  const handle = await test.start(one(more));
  const after = await test.start(one({ agent: "fine" }));
  await test.advance("1m");
  const { status, failure, steps } = await handle.status();
  expect(status).toBe("failed");
  expect(steps[0]).toMatchObject({ status: "failed", attempts: 1, detail: { kind: "failure", failure } });
  await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED", failure });
  expect((await readEvents(handle, "step.failed")).map((event) => event.failure)).toMatchObject([failure!]);
  expect(await test.engine.verify(handle.id)).toMatchObject({ ok: true });
  expect(await Promise.all([before.result(), after.result()])).toEqual(["fine", "fine"]);
  expect(faults).toEqual([]);
  expect([failure?.code, failure?.message]).toEqual([expect.stringMatching(/\S/u), expect.stringMatching(/\S/u)]);
  return failure!;
}

/** Runs the agent, which must succeed, and returns its output. */
async function readOutput(work: AgentFunction): Promise<unknown> {
  const faults: unknown[] = [];
  await using test = await open(work, faults);
  const handle = await test.start(one());
  await test.advance("1m");
  expect(faults).toEqual([]);
  expect(await test.engine.verify(handle.id)).toMatchObject({ ok: true });
  return handle.result();
}

const throwing = (value: unknown): AgentFunction => {
  return () => {
    throw value;
  };
};

describe("what is thrown", () => {
  it.each([
    ["a string", "just text", "just text"],
    ["a number", 42, "42"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["a Symbol", Symbol("odd"), "odd"],
    ["a BigInt", 10n, "10"],
  ])("FAIL-1 %s is a failure with a message", async (_, value, text) => {
    const failure = await readFailure(throwing(value));
    expect(failure.class).toBe("transient");
    expect(failure.message).toContain(text);
  });

  it.each([
    ["name that is a Symbol", Object.assign(new Error("odd name"), { name: Symbol("odd") })],
    ["code that is an object", Object.assign(new Error("odd code"), { code: { deep: true } })],
  ])("FAIL-1 an error with a %s is a failure all the same", async (_, value) => {
    expect(await readFailure(throwing(value))).toMatchObject({ class: "transient", message: value.message });
  });
});

describe("an error", () => {
  it("FAIL-1 whose causes go in a circle ends", async () => {
    const first: Error & { cause?: unknown } = new Error("first");
    first.cause = new Error("second", { cause: first });
    expect(await readFailure(throwing(first))).toMatchObject({ message: "first" });
  });

  it("FAIL-1 with 100,000 causes ends, and is written down in part", async () => {
    let error = new Error("root");
    for (let depth = 0; depth < 100_000; depth++) error = new Error(`depth ${depth}`, { cause: error });
    const failure = await readFailure(throwing(error));
    expect(JSON.stringify(failure).length).toBeLessThan(MEGABYTE);
  });
});

const ring: { self?: unknown } = {};
ring.self = ring;

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let each = 0; each < depth; each++) value = [value];
  return value;
}

describe("what is returned", () => {
  it.each<readonly [string, unknown]>([
    ["a function", () => 1],
    ["a BigInt", 10n],
    ["a cycle", ring],
    ["a Set", new Set()],
    ["a Symbol", Symbol("odd")],
    ["NaN", Number.NaN],
    ["a Map", new Map([[1, 2]])],
    ["a list with a hole", Array.from({ length: 3 }).fill(0, 0, 2)],
    ["an object with a Symbol deep inside", { list: [{ odd: Symbol("odd") }] }],
    ["nesting without end", nested(100_000)],
    [
      "an instance of a class",
      new (class Point {
        readonly x = 1;
      })(),
    ],
  ])("DATA-8 %s is no JSON and fails the step (OUTPUT_NOT_JSON)", async (_, value) => {
    expect(await readFailure(async () => value)).toMatchObject({ class: "permanent", code: "OUTPUT_NOT_JSON" });
  });

  it("DATA-8 the failure names the place", async () => {
    expect(await readFailure(async () => ({ list: [0, { odd: 10n }] }))).toMatchObject({ path: "list[1].odd" });
  });

  it("JOURNAL-4 a string of 11 MB is too large, at once and for good (VALUE_TOO_LARGE)", async () => {
    expect(await readFailure(async () => "x".repeat(11 * MEGABYTE), { retry: { attempts: 3 } })).toMatchObject({
      class: "permanent",
      code: "VALUE_TOO_LARGE",
    });
  });

  it("JOURNAL-4 a string of 9 MB is not", async () => {
    expect(await readOutput(async () => "x".repeat(9 * MEGABYTE))).toHaveLength(9 * MEGABYTE);
  });
});

/** Assembled, because the linter forbids a literal `then` property. */
const THEN: string = ["th", "en"].join("");

type Callback = (value?: unknown) => void;
const thenable = (then: (resolve: Callback, reject: Callback) => void): AgentFunction => {
  return () => ({ [THEN]: then });
};

describe("a thenable", () => {
  it("FAIL-1 that calls both callbacks counts with the first", async () => {
    const both = thenable((resolve, reject) => {
      resolve("first");
      reject(new Error("second"));
      resolve("third");
    });
    expect(await readOutput(both)).toBe("first");
    const reversed = thenable((resolve, reject) => {
      reject(new Error("first"));
      resolve("second");
    });
    expect(await readFailure(reversed)).toMatchObject({ message: "first" });
  });

  it("FAIL-1 that resolves and then throws counts with what it resolved to", async () => {
    const work = thenable((resolve) => {
      resolve("first");
      throw new Error("second");
    });
    expect(await readOutput(work)).toBe("first");
  });

  it("FAIL-1 whose `then` is a getter that throws fails", async () => {
    const value = {
      get [THEN](): never {
        throw new Error("no then");
      },
    };
    expect(await readFailure(() => value)).toMatchObject({ message: "no then" });
    expect(await readFailure(async () => value)).toMatchObject({ message: "no then" });
  });

  it("FAIL-4 that never calls back is given up at its timeout", async () => {
    const work = thenable(() => undefined);
    expect(await readFailure(work, { timeout: 500 as never })).toMatchObject({
      class: "timeout",
      code: "ATTEMPT_TIMEOUT",
    });
  });
});
