// A map that fails although one of its failures was tolerated at first (STATE-7, BEYOND-1).

import { expect, it } from "vitest";
import type { AgentFunction } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/test-engine.ts";
import { contract } from "../running/fixture.ts";

const FLOW = contract(`
name: f
steps:
  - id: all
    map:
      over: input
      tolerance: 1
      steps:
        - { id: stops, agent: stops, retry: 1, input: "\${ item }" }
        - { id: hour, wait: { for: 1h }, dependsOn: [stops] }
        - { id: finishes, agent: finishes, dependsOn: [hour], onError: finish, retry: 1, input: "\${ item }" }
        - { id: signal, wait: { signal: go }, dependsOn: [finishes] }
`);

function failFor(failing: number): AgentFunction {
  return (input) => {
    if (input === failing) throw new Error(`item ${failing} failed`);
    return null;
  };
}

it.each([
  ["that stayed in memory", false],
  ["that was reloaded before", true],
])(
  "STATE-7 JOURNAL-2 a tolerated failure stops the other items when the map fails, in an execution %s",
  async (_, isReloaded) => {
    await using test = await openTestEngine({ agents: { stops: failFor(1), finishes: failFor(2) } });
    const { id } = await test.start(FLOW, [1, 2, 3]);
    await test.advance("1m");
    if (isReloaded) await test.crash();
    await test.advance("2h");
    const { status, steps } = await (await test.get(id)).status();
    expect(status).toBe("failed");
    expect(steps.find(({ name }) => name === "all/2/signal")).toMatchObject({
      status: "skipped",
      detail: { reason: { kind: "failing", message: "`all/0/stops` failed" } },
    });
  },
);
