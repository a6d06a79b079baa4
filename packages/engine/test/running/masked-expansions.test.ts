// Secrets in what an agent returns beside an output: in an expansion, a skip and the fields of an error (DATA-9).

import { describe, expect, it } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import { expand, skip, type AgentFunction } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/test-engine.ts";
import { contract } from "./fixture.ts";

const SECRET = "Zx9-kQw7LmP4vRt2";
const FLOW = contract("name: w\nsecrets: [token]\nsteps: [{ id: a, agent: work, secrets: [token], retry: 1 }]\n");

/** Everything that the engine says about an execution, as text. */
async function said(work: AgentFunction): Promise<string> {
  const agents: Record<string, AgentFunction | Agent> = { work, child: () => 1 };
  await using test = await openTestEngine({ agents, secrets: () => SECRET });
  const events: unknown[] = [];
  test.engine.subscribe({}, (batch) => void events.push(...batch.events));
  const handle = await test.start(FLOW);
  await test.advance("10s");
  const end = await handle.result().then(JSON.stringify, (error: Error) => `${error.message} ${String(error.cause)}`);
  const lines: unknown[] = [];
  for await (const line of test.engine.export(handle.id)) lines.push(line);
  return JSON.stringify([end, await handle.status(), await test.engine.why(handle.id), events, lines]);
}

const STEPS = [{ id: "x", agent: "child" }];

function throwing(fields: object): AgentFunction {
  return () => {
    throw Object.assign(new Error("m"), fields);
  };
}

describe("DATA-9 no part of a secret shows", () => {
  it.each<readonly [string, AgentFunction]>([
    ["as the result of an expansion", () => expand(STEPS, { result: SECRET })],
    [
      "in the result of an expansion, where a message would cut it",
      () => expand(STEPS, { result: "r".repeat(70) + SECRET }),
    ],
    ["as an unusable result of an expansion", () => expand(STEPS, { result: [SECRET] as never })],
    ["as the id of an expanded step", () => expand([{ id: SECRET, agent: "child" }], { result: SECRET })],
    ["in a reason that was cut", () => skip("r".repeat(8180) + SECRET)],
    ["in a code that was cut", throwing({ code: "c".repeat(250) + SECRET })],
    ["in a name that was cut", throwing({ name: "n".repeat(250) + SECRET })],
    ["in a path that was cut", () => ({ ["k".repeat(8180) + SECRET]: 1n })],
  ])("%s", async (_, work) => {
    const text = await said(work);
    for (const part of [SECRET, SECRET.slice(0, 6), SECRET.slice(-6)]) expect(text).not.toContain(part);
  });

  it("as the status of an error, which has three digits", async () => {
    await using test = await openTestEngine({
      agents: { work: throwing({ status: 48_151_623 }) },
      secrets: () => "48151623",
    });
    const handle = await test.start(FLOW);
    await test.advance("10s");
    expect(JSON.stringify(await handle.status())).not.toContain("48151623");
  });
});
