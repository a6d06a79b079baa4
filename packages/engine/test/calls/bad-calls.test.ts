// Recorded calls that are refused: each with a stable code, and without another attempt.

import { describe, expect, it } from "vitest";
import { workflow, type RunCall } from "../../src/index.ts";
import { useFixture } from "../running/fixture.ts";

const fixture = useFixture();

async function failureOf(work: (run: RunCall) => Promise<unknown>): Promise<unknown> {
  let attempts = 0;
  const flow = workflow("flow").step("work", async ({ run }) => {
    attempts++;
    await work(run);
  });
  const engine = await fixture.current.open();
  const handle = await engine.start(flow, null);
  await handle.result().catch(() => undefined);
  expect(attempts, "attempts").toBe(1);
  const { steps } = await handle.status();
  const { detail } = steps[0]!;
  return detail.kind === "failure" ? detail.failure : undefined;
}

const plain = (): string => "value";

describe("a recorded call", () => {
  it.each([
    ["a number", 7],
    ["nothing", undefined],
    ["an empty text", ""],
    ["a text of 201 characters", "x".repeat(201)],
    ["a text with the mark of repeated names", "plan#2"],
  ])("CALL_INVALID is refused if its name is %s", async (_, name) => {
    expect(await failureOf((run) => run(name as string, plain))).toMatchObject({
      class: "permanent",
      code: "CALL_INVALID",
    });
  });

  it("CALL_INVALID is refused without a function", async () => {
    const failure = await failureOf((run) => run("plan", "value" as never));
    expect(failure).toMatchObject({ code: "CALL_INVALID", message: expect.stringContaining("needs a function") });
  });

  it.each([
    ["an unknown option", { retries: 3 }],
    ["a retry without attempts", { retry: 0 }],
    ["a timeout that is no duration", { timeout: "soon" }],
  ])("CALL_INVALID is refused with %s", async (_, options) => {
    expect(await failureOf((run) => run("plan", plain, options as never))).toMatchObject({ code: "CALL_INVALID" });
  });

  it("OUTPUT_NOT_JSON is refused if its value is not JSON", async () => {
    expect(await failureOf((run) => run("plan", () => ({ at: new Map() as unknown })))).toMatchObject({
      code: "OUTPUT_NOT_JSON",
      message: expect.stringContaining("the value of the call `plan`"),
    });
  });

  it("VALUE_TOO_LARGE is refused if its value is larger than a value may be", async () => {
    expect(await failureOf((run) => run("plan", () => "x".repeat(11_000_000)))).toMatchObject({
      code: "VALUE_TOO_LARGE",
    });
  });

  it("CALLS_LIMIT is refused after 10,000 calls of one attempt", async () => {
    let made = 0;
    const failure = await failureOf(async (run) => {
      for (let call = 0; call < 100_000; call++) await run("plan", () => ++made);
    });
    expect(failure).toMatchObject({ class: "permanent", code: "CALLS_LIMIT" });
    expect(made).toBe(10_000);
  });

  it("ATTEMPT_NOT_RUNNING rejects if its attempt has ended", async () => {
    const late = Promise.withResolvers<unknown>();
    const flow = workflow("flow").step("work", ({ run }) => {
      const call = run("plan", () => new Promise((resolve) => setTimeout(resolve, 20)));
      call.catch((error: unknown) => late.resolve(error));
    });
    const engine = await fixture.current.open();
    await (await engine.start(flow, null)).result();
    expect(await late.promise).toMatchObject({ code: "ATTEMPT_NOT_RUNNING" });
  });
});
