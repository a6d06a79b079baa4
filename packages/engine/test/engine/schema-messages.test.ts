// The message for a value that does not match a schema names the value, the field and the problem (STATE-10).

import { describe, expect, it } from "vitest";
import { workflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { contract } from "../orchestration/recording-agents.ts";

const SCHEMA =
  "{ type: object, required: [b, c], properties: { a: { type: string }, d: { type: object, required: [e] } } }";

async function readFailure(text: string, input: object = {}): Promise<string | undefined> {
  await using test = await openTestEngine({ agents: { give: (given: unknown) => given } });
  const handle = await test.start(contract(text), input as never);
  await test.advance("1h");
  return (await handle.status()).failure?.message;
}

describe("what does not fit", () => {
  it("OUTPUT_INVALID DATA-3 names each field of the output, and counts the rest", async () => {
    const step = `id: x, agent: give, input: { a: 1, d: {} }, output: { schema: ${SCHEMA} }`;
    expect(await readFailure(`name: w\nsteps: [{ ${step} }]`)).toBe(
      "the output: `b` is missing; `c` is missing; `a` must be string (and 1 more)",
    );
  });

  it("INPUT_INVALID DATA-2 names the fields of the input of a step", async () => {
    const step = `id: x, agent: give, input: { b: 1, c: 2, d: {} }, inputSchema: ${SCHEMA}`;
    expect(await readFailure(`name: w\nsteps: [{ ${step} }]`)).toBe("the input: `d.e` is missing");
  });

  it("INPUT_INVALID names the workflow and the fields of its input, and what is wrong with it as a whole", async () => {
    await using test = await openTestEngine();
    const definition = contract(`name: w\ninput: ${SCHEMA}\nsteps: []`);
    await expect(test.start(definition, { b: 1, a: 2 })).rejects.toThrow(
      "the input of `w`: `c` is missing; `a` must be string",
    );
    await expect(test.start(definition, 7)).rejects.toThrow("the input of `w`: must be object");
  });

  it("OUTPUT_NOT_JSON DATA-8 names the place in the output", async () => {
    await using test = await openTestEngine();
    const handle = await test.start(workflow("w").step("x", async () => ({ list: [1, 2n] }) as never));
    await test.untilIdle();
    expect((await handle.status()).failure?.message).toBe("the output holds a bigint at `list[1]`, which is not JSON");
  });
});

describe("a failure inside of scopes", () => {
  it("SCOPE_FAILED STATE-9 is told once, with the step in which it began", async () => {
    const inner = "{ id: in, map: { over: '[`1`]', steps: [{ id: deep, agent: fail, retry: 1 }] } }";
    await using test = await openTestEngine({
      agents: { fail: () => Promise.reject(new Error("boom")) },
      workflows: [contract(`name: leaf\nsteps: [${inner}]`)],
    });
    const handle = await test.start(contract("name: top\nsteps: [{ id: call, workflow: leaf }]"));
    await test.advance("1h");
    expect((await handle.status()).failure?.message).toBe("`call/in/0` failed: boom");
  });
});
