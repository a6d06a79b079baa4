// Sequential workflows: one step at a time, in the order of the plan (ruling 52).

import { loadContract } from "@segno/contract";
import { describe, expect, it } from "vitest";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";

/** Agents that record when they are called; `flaky` fails its first attempt, `broken` every attempt. */
function registerAgents(test: TestEngine, calls: string[]): void {
  test.engine.agent("note", (_, { step }) => void calls.push(step.id));
  test.engine.agent("flaky", (_, { step, attempt }) => {
    calls.push(`${step.id} ${attempt}`);
    if (attempt === 1) throw new Error("not yet");
  });
  test.engine.agent("broken", (_, { step }) => {
    calls.push(step.id);
    throw new TypeError("never");
  });
}

async function runAndRecord(
  text: string,
  options: Parameters<typeof openTestEngine>[0] = {},
): Promise<readonly string[]> {
  const calls: string[] = [];
  await using test = await openTestEngine(options);
  registerAgents(test, calls);
  const handle = await test.engine.start(loadContract(text));
  await test.advance("1h");
  return [...calls, (await handle.status()).status];
}

const WAVES = `
steps:
  - { id: b, agent: note, dependsOn: [a] }
  - { id: a, agent: flaky }
  - { id: c, agent: note }
  - { id: d, agent: note, dependsOn: [a] }
`;

describe("a sequential workflow", () => {
  it("SCHED-5 runs in the order of the plan, and a step in backoff blocks the steps behind it", async () => {
    expect(await runAndRecord(`name: w\nsequential: true\n${WAVES}`)).toEqual([
      "a 1",
      "a 2",
      "c",
      "b",
      "d",
      "completed",
    ]);
  });

  it("SCHED-5 the strategy `sequential` does the same for every workflow", async () => {
    const calls = await runAndRecord(`name: w\n${WAVES}`, { strategy: "sequential" } as object);
    expect(calls).toEqual(["a 1", "a 2", "c", "b", "d", "completed"]);
  });

  it("SCHED-1 a concurrency of 1 alone only limits: other steps overtake a step in backoff", async () => {
    expect(await runAndRecord(`name: w\nconcurrency: 1\n${WAVES}`)).toEqual(["a 1", "c", "a 2", "b", "d", "completed"]);
  });

  it("STATE-5 STATE-6 continues past steps that fail, are skipped or are disabled, and runs its clean-up", async () => {
    const steps = `
steps:
  - { id: off, agent: note, enabled: false }
  - { id: bad, agent: broken, onError: finish }
  - { id: never, agent: note, dependsOn: [bad] }
  - { id: idle, agent: note, when: "\`false\`" }
  - { id: clean, agent: note, dependsOn: [{ step: bad, on: settled }] }
  - { id: last, agent: note }
`;
    expect(await runAndRecord(`name: w\nsequential: true\n${steps}`)).toEqual(["bad", "last", "clean", "failed"]);
  });

  it("SCHED-7 a step that waits for its turn says which step it waits for", async () => {
    await using test = await openTestEngine();
    registerAgents(test, []);
    const handle = await test.engine.start(loadContract(`name: w\nsequential: true\n${WAVES}`));
    await test.untilIdle();
    expect(await test.engine.why(handle.id, "c")).toMatchObject([
      { step: "c", reason: { kind: "dependency", on: ["a"] } },
    ]);
  });

  it("SCHED-5 keeps its order when it is retried", async () => {
    const calls: string[] = [];
    let isBroken = true;
    await using test = await openTestEngine();
    test.engine.agent("a", (_, { step }) => {
      calls.push(step.id);
      if (step.id === "y" && isBroken) throw new TypeError("never");
    });
    const steps = ["x", "y", "z"].map((id) => `  - { id: ${id}, agent: a }\n`).join("");
    const handle = await test.engine.start(loadContract(`name: w\nsequential: true\nsteps:\n${steps}`));
    await test.untilIdle();
    expect((await handle.status()).status).toBe("failed");
    isBroken = false;
    await handle.retry();
    await test.untilIdle();
    expect([calls, (await handle.status()).status]).toEqual([["x", "y", "y", "z"], "completed"]);
  });
});

describe("a fallback in a sequential workflow", () => {
  it("STATE-8 runs directly after its primary, although other steps are before it in the plan", async () => {
    const steps = `
steps:
  - { id: bad, agent: broken, fallback: worse }
  - { id: other, agent: note }
  - { id: next, agent: note, dependsOn: [bad] }
  - { id: worse, agent: broken, fallback: good }
  - { id: good, agent: note, fallback: off }
  - { id: off, agent: note, enabled: false }
`;
    expect(await runAndRecord(`name: w\nsequential: true\n${steps}`)).toEqual([
      "bad",
      "worse",
      "good",
      "other",
      "next",
      "completed",
    ]);
  });
});
