// A source of secrets that is away for a while (FAIL-9, DATA-9).

import { expect, it } from "vitest";
import { openTestEngine } from "../../src/testing/test-engine.ts";
import { contract } from "./fixture.ts";

const ASKING = contract("name: f\nsteps: [{ id: a, agent: use, secrets: [token], retry: 1 }]\n");

it("FAIL-9 an execution that is parked on a secret continues by itself when its source answers again", async () => {
  let isAway = true;
  let calls = 0;
  const secrets = (): string => {
    calls++;
    if (isAway) throw new Error("the vault is sealed");
    return "long-enough-by-far";
  };
  await using test = await openTestEngine({ secrets, agents: { use: () => "used" } });
  const handles = [await test.start(ASKING), await test.start(ASKING), await test.start(ASKING)];
  await test.advance("4s");
  expect((await handles[0]!.status()).status).toBe("parked");
  const before = calls;
  await test.advance("1m");
  // After 5, 15 and 35 seconds, and once for all executions.
  expect(calls - before).toBe(3);
  isAway = false;
  await test.advance("1m");
  for (const handle of handles) expect((await handle.status()).status).toBe("completed");
  const after = calls;
  await test.advance("10m");
  expect(calls).toBe(after);
});

it("FAIL-9 an execution that was loaded while its source is away continues too", async () => {
  let isAway = true;
  const secrets = (): string => {
    if (isAway) throw new Error("the vault is sealed");
    return "long-enough-by-far";
  };
  await using test = await openTestEngine({ secrets, agents: { use: () => "used" } });
  const { id } = await test.start(ASKING);
  await test.advance("4s");
  await test.crash();
  await test.advance("1m");
  const handle = await test.engine.get(id);
  expect((await handle.status()).status).toBe("parked");
  isAway = false;
  await test.advance("2m");
  expect((await handle.status()).status).toBe("completed");
});
