// An execution that fails while nobody waits for it is in the log (EVENT-5).

import { expect, it, vi } from "vitest";
import { Engine, type EngineOptions, type StepContext } from "../../src/index.ts";
import { recordedLogger } from "../../src/testing/recorded-logger.ts";
import { openTestEngine } from "../../src/testing/test-engine.ts";
import { contract } from "../running/fixture.ts";

const FLOW = contract("name: orders\nsteps: [{ id: load, agent: bad, retry: 1 }]\n");

function bad(): never {
  throw new Error("the order is empty");
}

it("EVENT-5 one warning says that an execution failed and nobody waits for it", async () => {
  const logger = recordedLogger();
  await using test = await openTestEngine({ agents: { bad }, logger });
  await test.start(FLOW, null, { id: "alone" });
  await test.advance("1s");
  const warnings = logger.lines.filter(({ level }) => level === "warn");
  expect(warnings).toHaveLength(1);
  expect(JSON.stringify(warnings[0])).toContain("nothing in this process waits for its result: the order is empty");
  expect(JSON.stringify(warnings[0])).toMatch(/"executionId":"alone".*"workflow":"orders".*"step":"load"/u);
});

it("EVENT-5 there is no warning for an execution that somebody waits for, or that completed or was cancelled", async () => {
  const logger = recordedLogger();
  await using test = await openTestEngine({ agents: { bad, fine: () => 1 }, logger });
  const watched = await test.start(FLOW);
  await expect(watched.result()).rejects.toThrow("the order is empty");
  await test.start(contract("name: fine\nsteps: [{ id: a, agent: fine }]\n"));
  const cancelled = await test.start(contract("name: wait\nsteps: [{ id: a, wait: { for: 1h } }]\n"));
  await cancelled.cancel();
  await test.advance("1s");
  expect(logger.lines.filter(({ level }) => level === "warn")).toEqual([]);
});

/** The lines of the default logger. */
async function stderrOf(work: () => Promise<void>): Promise<string> {
  let text = "";
  const write = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  try {
    await work();
  } finally {
    write.mockRestore();
  }
  return text;
}

async function failUnwatched(options: EngineOptions): Promise<void> {
  await using engine = await Engine.open({ store: "none", agents: { bad }, ...options });
  const ended = Promise.withResolvers<void>();
  engine.subscribe({}, ({ events }) => {
    if (events.some(({ kind }) => kind === "execution.failed")) ended.resolve();
  });
  await engine.start(FLOW);
  await ended.promise;
}

it("EVENT-5 the warning is on stderr, unless the engine ignores unwatched failures", async () => {
  expect(await stderrOf(() => failUnwatched({}))).toContain("nothing in this process waits for its result");
  expect(await stderrOf(() => failUnwatched({ unwatchedFailures: "ignore" }))).toBe("");
});

it("EVENT-5 a test engine without a logger does not warn, and still writes what steps log", async () => {
  const logging = (_: unknown, { log }: StepContext): never => {
    log.warn("the shelf is bare");
    return bad();
  };
  const text = await stderrOf(async () => {
    await using test = await openTestEngine({ agents: { bad: logging } });
    const execution = await test.start(FLOW);
    await test.advance("1s");
    expect((await execution.status()).status).toBe("failed");
  });
  expect(text).toContain("the shelf is bare");
  expect(text).not.toContain("waits for its result");
});
