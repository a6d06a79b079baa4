// Failures keep the stacks of user code and the causes, and programs and journals show them (FAIL-5).

import { inspect } from "node:util";
import type { Failure } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { ExecutionError, map, workflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/test-engine.ts";
import { contract, useFixture } from "../running/fixture.ts";
import { readHistory } from "./sample-flow.ts";

const fixture = useFixture();

function parseOrder(): never {
  throw Object.assign(new RangeError("the order has no lines"), { code: "ORDER_EMPTY" });
}

function loadOrder(): never {
  try {
    return parseOrder();
  } catch (cause) {
    throw new Error("the order cannot be loaded", { cause });
  }
}

async function failed(result: Promise<unknown>): Promise<ExecutionError> {
  const error: unknown = await result.catch((thrown: unknown) => thrown);
  if (!(error instanceof ExecutionError)) throw new TypeError("the execution did not fail");
  return error;
}

describe("FAIL-5 a failed function", () => {
  it("FAIL-5 keeps its frames and those of its causes once, in the event of its attempt", async () => {
    await using test = await openTestEngine({ agents: { load: loadOrder } });
    const handle = await test.start(contract("name: f\nsteps: [{ id: load, agent: load, retry: 1 }]\n"));
    await failed(handle.result());
    const failures = (await readHistory(handle)).flatMap(({ event }): readonly Failure[] =>
      "failure" in event && event.failure !== undefined ? [event.failure] : [],
    );
    expect(failures.map(({ stack }) => stack !== undefined)).toEqual([true, false, false]);
    const [first] = failures;
    expect(first?.stack).toMatch(/^at loadOrder \(\S*stacks\.test\.ts:\d+:\d+\)/u);
    expect(first?.cause).toMatchObject({
      code: "ORDER_EMPTY",
      name: "RangeError",
      message: "the order has no lines",
      stack: expect.stringMatching(/^at parseOrder \(/u),
    });
    expect(JSON.stringify(failures)).not.toMatch(/node:internal|main-thread-runner/u);
  });

  it("FAIL-5 is the cause of the error that `result` throws, also from inside a map", async () => {
    const flow = workflow("orders").step(
      "each",
      { retry: 1 },
      map([1], () => loadOrder()),
    );
    await using test = await openTestEngine({});
    const error = await failed((await test.engine.start(flow, {})).result());
    const cause = error.cause as Error & { readonly code?: string };
    expect(cause).toMatchObject({ name: "Error", message: "the order cannot be loaded" });
    expect(cause.stack).toMatch(/^Error: the order cannot be loaded\n {4}at loadOrder \(\S*stacks\.test\.ts/u);
    expect(cause.cause).toMatchObject({ name: "RangeError", code: "ORDER_EMPTY" });
    expect(inspect(error)).toMatch(/\[cause\]: [^]*at parseOrder \(/u);
  });

  it("FAIL-5 STATE-14 shows the frame inside a recorded call", async () => {
    const flow = workflow("calls").step("a", { retry: 1 }, async ({ run }) => await run("load", loadOrder));
    await using test = await openTestEngine({});
    const error = await failed((await test.engine.start(flow, {})).result());
    expect((error.cause as Error).stack).toMatch(/\n {4}at loadOrder \(/u);
  });

  it("FAIL-5 keeps the frames of a module on a thread", async () => {
    const engine = await fixture.current.open();
    const file = fixture.current.write(
      "agent.mjs",
      "function check() { throw new Error('too small'); }\nexport default () => check();\n",
    );
    const text = `name: f\nagents: { a: { module: ${JSON.stringify(file)}, thread: true } }\nsteps: [{ id: a, agent: a, retry: 1 }]\n`;
    const error = await failed((await engine.start(contract(text))).result());
    expect((error.cause as Error).stack).toMatch(/\n {4}at check \(\S*agent\.mjs:1:\d+\)/u);
  });
});

it("DATA-9 the stack of a failure is masked", async () => {
  const agent = (): never => {
    const error = new Error("no");
    error.stack = "Error: no\n    at load (/app/hunter2hunter2/load.ts:1:1)";
    throw error;
  };
  const engine = await fixture.current.open({ secrets: () => "hunter2hunter2", agents: { load: agent } });
  const handle = await engine.start(contract("name: f\nsteps: [{ id: a, agent: load, secrets: [key], retry: 1 }]\n"));
  const error = await failed(handle.result());
  expect((error.cause as Error).stack).toBe("Error: no\n    at load (/app/***/load.ts:1:1)");
});
