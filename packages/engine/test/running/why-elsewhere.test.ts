// Why a step waits, asked from a process that does not own the journal (SCHED-7, FAIL-6).

import { durationMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction, Engine, Reason } from "../../src/index.ts";
import { contract, useFixture, pollUntil } from "./fixture.ts";

const fixture = useFixture();
const BREAKER = { failures: 2, cooldown: durationMs(3_600_000) };
const broken: AgentFunction = () => {
  throw new Error("down");
};

async function pair(): Promise<{ readonly owner: Engine; readonly reader: Engine }> {
  const options = { agents: { broken }, breaker: BREAKER };
  return {
    owner: await fixture.current.open(options),
    reader: await fixture.current.open({ ...options, mode: "readOnly" }),
  };
}

async function reasons(engine: Engine, id: string, step: string): Promise<readonly Reason[]> {
  return (await engine.why(id, step)).filter((each) => each.step === step).map(({ reason }) => reason);
}

/** Waits until the owner reports the breaker as the reason; then the reader has to report it too. */
async function bothSay({ owner, reader }: Awaited<ReturnType<typeof pair>>, id: string, step: string): Promise<void> {
  const isHeldUp = async (): Promise<boolean> => (await reasons(owner, id, step))[0]?.kind === "breaker";
  await pollUntil(isHeldUp, "an open breaker");
  const [reason] = await reasons(reader, id, step);
  expect(reason).toMatchObject({ kind: "breaker", agent: "broken" });
  expect((reason as Reason & { kind: "breaker" }).untilMs).toBeGreaterThan(Date.now() + 1_800_000);
}

describe("a breaker that another process has open", () => {
  it("SCHED-7 FAIL-6 is known for waiting steps, first attempts and retries", async () => {
    const both = await pair();
    const retry = "retry: { attempts: 9, base: 1ms, max: 1ms }";
    const { id } = await both.owner.start(
      contract(`
name: f
steps:
  - { id: a, agent: broken, ${retry} }
  - { id: sleeps, wait: { for: 50ms } }
  - { id: late, agent: broken, ${retry}, dependsOn: [sleeps] }
`),
    );
    await bothSay(both, id, "a");
    await bothSay(both, id, "late");
  });

  it("SCHED-7 FAIL-6 is known also from executions that have ended", async () => {
    const both = await pair();
    const failing = contract("name: f\nsteps: [{ id: a, agent: broken, retry: 1 }]\n");
    for (let index = 0; index < 2; index++)
      await expect((await both.owner.start(failing)).result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    const { id } = await both.owner.start(failing);
    await bothSay(both, id, "a");
  });

  it("SCHED-7 FAIL-6 is known from the executions that ended last, however many ended before them", async () => {
    const both = await pair();
    const quick = contract("name: q\nsteps: [{ id: a, barrier: true }]\n");
    const before = await Promise.all(Array.from({ length: 520 }, () => both.owner.start(quick)));
    for (const handle of before) await handle.result();
    const failing = contract("name: f\nsteps: [{ id: a, agent: broken, retry: 1 }]\n");
    for (let index = 0; index < 2; index++)
      await expect((await both.owner.start(failing)).result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    const { id } = await both.owner.start(failing);
    await bothSay(both, id, "a");
  });
});

describe("a slot that another process has taken", () => {
  it("SCHED-7 is known however many executions wait for a message", async () => {
    const owner = await fixture.current.open({
      limits: { slots: 1 },
      agents: { hang: () => new Promise(() => undefined) },
    });
    const reader = await fixture.current.open({ limits: { slots: 1 }, mode: "readOnly" });
    const waiting = contract("name: w\nsteps: [{ id: a, wait: { signal: go } }]\n");
    await Promise.all(Array.from({ length: 520 }, () => owner.start(waiting)));
    await owner.start(contract("name: h\nsteps: [{ id: a, agent: hang }]\n"));
    const { id } = await owner.start(contract("name: q\nsteps: [{ id: a, agent: hang }]\n"));
    const isHeldUp = async (): Promise<boolean> => (await reasons(owner, id, "a")).length > 0;
    await pollUntil(isHeldUp, "a step without a slot");
    expect(await reasons(reader, id, "a")).toEqual(await reasons(owner, id, "a"));
  });
});
