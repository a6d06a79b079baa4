// An execution that fails while nobody waits for it is in the log (EVENT-5).

import { expect, it } from "vitest";
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
