// Failures with a retry time do not count as failures (FAIL-3, FAIL-6).

import { loadContract } from "@segno/contract";
import { RetryAfterError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction } from "../../src/agents/agent.ts";
import { openTestEngine } from "../../src/testing/index.ts";

const ITEMS = JSON.stringify(Array.from({ length: 20 }, (_, index) => index));
const WORKFLOW = loadContract(
  `name: f\nsteps:\n  - { id: each, map: { over: "\`${ITEMS}\`", steps: [{ id: item, agent: service }] } }\n`,
);

/** An error as a client library throws it for a response with this status. */
function errorWithStatus(status: number, retryAfterMs: number | undefined): Error {
  return Object.assign(new Error(`status ${status}`), {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** How long 20 items take if each fails once with this error. */
async function durationOfItems(error: () => Error): Promise<number> {
  const service: AgentFunction = (_, { attempt }) => {
    if (attempt === 1) throw error();
    return attempt;
  };
  await using test = await openTestEngine({ agents: { service } });
  const startedAt = test.now;
  const handle = await test.start(WORKFLOW);
  await test.advance("10m");
  const [ended] = (await test.engine.list()).executions;
  expect(ended).toMatchObject({ id: handle.id, status: "completed" });
  return ended!.updatedAt - startedAt;
}

describe("20 items that fail once with a retry time", () => {
  it.each([
    ["by a RetryAfterError", () => new RetryAfterError("later", 100)],
    ["by a status 429 with a delay", () => errorWithStatus(429, 100)],
    ["by a status 503 with a delay", () => errorWithStatus(503, 100)],
  ])("FAIL-6 FAIL-3 %s take no longer than that, because the breaker stays closed", async (_, error) => {
    expect(await durationOfItems(error)).toBe(100);
  });

  it("FAIL-6 open the breaker if they fail without a retry time", async () => {
    expect(await durationOfItems(() => errorWithStatus(503, undefined))).toBeGreaterThanOrEqual(30_000);
  });
});
