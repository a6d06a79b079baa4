// Timers fire at their due time: in virtual time, to the millisecond (FAIL-3, FAIL-4, BEYOND-2).

import { loadContract } from "@segno/contract";
import { RetryAfterError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";

/** The start times of attempts and of steps after a wait, relative to the start. */
async function begun(steps: string, beforeMs: number = 0): Promise<readonly number[]> {
  const times: number[] = [];
  let startedAt = 0;
  const again: AgentFunction = (input, { attempt }) => {
    times.push(test.now - startedAt);
    if (attempt === 1) throw new RetryAfterError("later", (input as { ms: number }).ms);
  };
  const note: AgentFunction = () => void times.push(test.now - startedAt);
  const untilStopped: AgentFunction = (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(null)));
  const hang: AgentFunction = () => new Promise(() => undefined);
  await using test = await openTestEngine({ agents: { again, note, untilStopped, hang } });
  await test.advance(beforeMs);
  startedAt = test.now;
  await test.start(loadContract(`name: f\nsteps:\n${steps}`));
  await test.advance("10m");
  return times;
}

describe("what is due", () => {
  it.each([1, 7, 100, 513, 60_001])("FAIL-3 a retry after %i ms begins then, and not later", async (ms) => {
    for (const beforeMs of [0, 3, 1021])
      expect(await begun(`  - { id: a, agent: again, input: { ms: ${ms} } }\n`, beforeMs)).toEqual([0, ms]);
  });

  it.each([1, 101, 1537])("BEYOND-2 what waits for %i ms goes on then", async (ms) => {
    const steps = `  - { id: a, wait: { for: ${ms}ms } }\n  - { id: b, agent: note, dependsOn: [a] }\n`;
    expect(await begun(steps)).toEqual([ms]);
  });

  it.each([3, 777])("FAIL-4 a timeout of %i ms is over then", async (ms) => {
    const steps = (agent: string): string =>
      `  - { id: a, agent: ${agent}, timeout: ${ms}ms, onError: continue }\n` +
      "  - { id: b, agent: note, dependsOn: [{ step: a, on: settled }] }\n";
    expect(await begun(steps("untilStopped"))).toEqual([ms]);
    expect(await begun(`${steps("hang")}grace: 250ms\n`)).toEqual([ms + 250]);
  });
});
