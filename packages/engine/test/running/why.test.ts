// The engine can explain why anything waits (SCHED-7): one test per reason.

import { describe, expect, it } from "vitest";
import type { Engine, Reason } from "../../src/index.ts";
import { contract, ending, reaches, useFixture, pollUntil } from "./fixture.ts";

const fixture = useFixture();
const HANG = { hang: () => new Promise<never>(() => undefined) };

/** The kinds of the reasons of a step. */
async function kinds(engine: Engine, id: string, step?: string): Promise<readonly string[]> {
  return (await engine.why(id, step)).map(({ reason }) => reason.kind);
}

async function whyText(engine: Engine, id: string, step: string | undefined, reason: Partial<Reason>): Promise<string> {
  await pollUntil(
    async () => (await kinds(engine, id, step)).includes(reason.kind!),
    `a reason of the kind ${reason.kind}`,
  );
  const found = (await engine.why(id, step)).find((each) => each.reason.kind === reason.kind)!;
  expect(found.reason).toMatchObject(reason);
  return found.text;
}

describe("why a step waits", () => {
  it("SCHED-7 dependency, running, timer, signal, approval, children", async () => {
    const engine = await fixture.current.open({ agents: HANG });
    const { id } = await engine.start(
      contract(`
name: waits
steps:
  - { id: runs, agent: hang }
  - { id: after, run: "true", dependsOn: [runs, sleeps] }
  - { id: sleeps, wait: { for: 1h } }
  - { id: listens, wait: { signal: go, timeout: 1h } }
  - { id: asks, approve: { by: [ada, bob], quorum: 2, expires: 1h } }
  - { id: each, map: { over: "[\`1\`, \`2\`]", steps: [{ id: item, agent: hang }] } }
`),
    );
    expect(await whyText(engine, id, "after", { kind: "dependency", on: ["runs", "sleeps"] })).toBe(
      "`after` waits for `runs`, `sleeps`",
    );
    expect(await whyText(engine, id, "runs", { kind: "running", attempt: 1 })).toBe("`runs` is running, attempt 1");
    expect(await whyText(engine, id, "sleeps", { kind: "timer" })).toMatch(
      /^`sleeps` sleeps; it continues in \d+ min$/u,
    );
    expect(await whyText(engine, id, "listens", { kind: "signal", signal: "go" })).toContain("the signal `go`");
    expect(await whyText(engine, id, "asks", { kind: "approval", quorum: 2, by: ["ada", "bob"], approved: [] })).toBe(
      "`asks` waits for approval by ada or bob, 0 of 2 so far, expires in 60 min",
    );
    expect(await whyText(engine, id, "each", { kind: "children", unsettled: 2 })).toContain(
      "its own steps, 2 of which",
    );
    const told = new Set((await engine.why(id)).map(({ step }) => step));
    for (const step of ["runs", "after", "sleeps", "listens", "asks", "each"]) expect(told).toContain(step);
  });

  it("SCHED-7 backoff with the failure, and a command that is being stopped", async () => {
    const engine = await fixture.current.open();
    const { id } = await engine.start(
      contract(
        "name: f\nsteps:\n  - { id: a, run: 'echo later >&2; exit 75', retry: { attempts: 2, base: 1h, max: 1h } }\n",
      ),
    );
    expect(await whyText(engine, id, "a", { kind: "backoff" })).toMatch(
      /^`a` failed \(.*later\) and is tried again /su,
    );
    const stopping = await engine.start(
      contract("name: g\nsteps:\n  - { id: a, run: 'trap : TERM; echo > up; while :; do sleep 0.01 || :; done' }\n"),
    );
    await fixture.current.wrote("up");
    await stopping.cancel();
    expect(await whyText(engine, stopping.id, "a", { kind: "stopping" })).toContain("was asked to stop");
  });
});

describe("why a step that could run waits", () => {
  it("SCHED-7 a resource and its holders, a quota and when it recovers", async () => {
    const engine = await fixture.current.open({ agents: HANG });
    const resources = "resources: { device: 2, api: 1/1h }";
    const holder = await engine.start(
      contract(`name: f\n${resources}\nsteps: [{ id: has, agent: hang, resources: { device: 1, api: 1 } }]\n`),
    );
    await reaches(holder, "has", "running");
    const { id } = await engine.start(
      contract(
        `name: g\n${resources}\nsteps:\n  - { id: big, run: "true", resources: { device: 2 } }\n  - { id: often, run: "true", resources: { api: 1 } }\n`,
      ),
    );
    const text = await whyText(engine, id, "big", {
      kind: "resource",
      resource: "device",
      wanted: 2,
      free: 1,
      used: 1,
      max: 2,
      holders: [{ execution: holder.id, step: "has", isLingering: false }],
    });
    expect(text).toBe(`\`big\` waits for 2 of \`device\`: 1 of 2 free, held by \`has\` of ${holder.id}`);
    expect(await whyText(engine, id, "often", { kind: "quota", resource: "api" })).toMatch(
      /whose rate is used up; it continues in 60 min$/u,
    );
  });

  it("SCHED-7 its turn, behind other executions and steps of its own, while all slots are in use", async () => {
    const engine = await fixture.current.open({ agents: HANG, limits: { slots: 1 } });
    await reaches(await engine.start(contract("name: f\nsteps: [{ id: a, agent: hang }]\n")), "a", "running");
    const two = contract("name: g\nsteps: [{ id: a, run: 'true' }, { id: b, run: 'true' }]\n");
    const [first, second] = [await engine.start(two), await engine.start(two)];
    await whyText(engine, first.id, "a", { kind: "slots", used: 1, max: 1 });
    await whyText(engine, second.id, "b", { kind: "position", executions: 1, steps: 1 });
    expect(await kinds(engine, second.id, "b")).toEqual(["slots", "position"]);
  });
});

describe("why an execution waits", () => {
  it("SCHED-7 CANCEL-7 it is paused", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(contract("name: f\nsteps: [{ id: a, wait: { signal: go } }]\n"));
    await handle.pause();
    expect(await whyText(engine, handle.id, undefined, { kind: "paused" })).toContain("is paused");
  });

  it("SCHED-7 FAIL-9 it is parked, because an agent is missing", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(contract("name: f\nsteps: [{ id: a, agent: nobody }]\n"));
    expect(await whyText(engine, handle.id, undefined, { kind: "parked" })).toContain("nobody");
    engine.agent("nobody", () => "somebody");
    await handle.result();
    expect(await engine.why(handle.id)).toMatchObject([
      { step: undefined, reason: { kind: "ended", status: "completed" }, text: "the execution has ended: completed" },
    ]);
  });

  it("SCHED-7 STEP_UNKNOWN refuses an unknown step, and an unknown execution", async () => {
    const engine = await fixture.current.open();
    const handle = await engine.start(contract("name: f\nsteps: [{ id: a, run: 'true' }]\n"));
    expect(await ending(handle)).toBe("completed");
    await expect(engine.why(handle.id, "b")).rejects.toMatchObject({ code: "STEP_UNKNOWN" });
    await expect(engine.why("nobody")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN" });
    expect(await engine.why(handle.id, "a")).toMatchObject([
      {},
      { step: "a", reason: { kind: "ended", status: "succeeded" } },
    ]);
  });
});
