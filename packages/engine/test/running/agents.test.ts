// Breakers, limits, priorities, strategies and failure callbacks, with real agents.

import { inspect } from "node:util";
import { durationMs, type Failure } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { AgentFunction, Engine, CustomStrategy, Strategy } from "../../src/index.ts";
import { readEvents } from "../engine/sample-flow.ts";
import { contract, ending, reaches, useFixture, findStep, pollUntil } from "./fixture.ts";

const fixture = useFixture();

/** Fails until the test repairs it. */
function brokenAgent(): { readonly agent: AgentFunction; heal: () => void; readonly calls: () => number } {
  let [calls, isWell] = [0, false];
  const agent: AgentFunction = () => {
    calls++;
    if (!isWell) throw new Error("the service is down");
    return "well";
  };
  return { agent, heal: () => (isWell = true), calls: () => calls };
}

const PATIENT = "retry: { attempts: 20, base: 1ms, max: 1ms }";

describe("a breaker", () => {
  it("FAIL-6 SCHED-7 opens after five failures in a row, `why` names it, and after the cooldown one probe passes", async () => {
    const { agent, heal, calls } = brokenAgent();
    const engine = await fixture.current.open({
      agents: { shop: agent, other: () => "fine" },
      breaker: { cooldown: durationMs(300) },
    });
    const handle = await engine.start(contract(`name: calls\nsteps:\n  - { id: call, agent: shop, ${PATIENT} }\n`));
    await pollUntil(
      async () => (await engine.why(handle.id, "call")).some(({ reason }) => reason.kind === "breaker"),
      "the breaker is open",
    );
    expect(calls()).toBe(5);
    const [waiting] = await engine.why(handle.id, "call");
    expect(waiting).toMatchObject({
      reason: { kind: "breaker", agent: "shop" },
      text: expect.stringContaining("`shop`"),
    });
    const second = await engine.start(contract("name: more\nsteps:\n  - { id: call, agent: shop }\n"));
    await (await engine.start(contract("name: others\nsteps: [{ id: call, agent: other }]\n"))).result();
    expect(calls()).toBe(5);
    heal();
    await handle.result();
    expect(await second.result()).toBe(null);
    expect(calls()).toBe(7);
    const [at5, at6] = (await readEvents(handle, "step.started")).slice(4, 6).map(({ at }) => at);
    expect(at6! - at5!).toBeGreaterThanOrEqual(298);
  });

  it("FAIL-6 whose probe fails stays open for another cooldown", async () => {
    const { agent, calls } = brokenAgent();
    const breaker = { failures: 2, cooldown: durationMs(60) };
    const engine = await fixture.current.open({ agents: { shop: agent }, breaker });
    const handle = await engine.start(contract(`name: calls\nsteps:\n  - { id: call, agent: shop, ${PATIENT} }\n`));
    await pollUntil(() => calls() >= 4, "two probes");
    const starts = (await readEvents(handle, "step.started")).map(({ at }) => at);
    expect(starts[2]! - starts[1]!).toBeGreaterThanOrEqual(58);
    expect(starts[3]! - starts[2]!).toBeGreaterThanOrEqual(58);
    await handle.cancel({ graceMs: 0 });
  });

  it("FAIL-6 does not count permanent failures, and can be turned off", async () => {
    const fail: AgentFunction = () => {
      throw new TypeError("a mistake");
    };
    const { agent, calls } = brokenAgent();
    const engine = await fixture.current.open({ agents: { wrong: fail, shop: agent }, breaker: false });
    const many = Array.from({ length: 7 }, (_, n) => `  - { id: s${n}, agent: wrong, onError: continue }`).join("\n");
    await (await engine.start(contract(`name: wrong\nsteps:\n${many}\n`))).result();
    const handle = await engine.start(contract(`name: calls\nsteps:\n  - { id: call, agent: shop, ${PATIENT} }\n`));
    expect(await ending(handle)).toBe("failed");
    expect(calls()).toBe(20);
  });
});

/** An agent that runs until the test releases it, and counts how many run. */
function blockingAgent(): { readonly agent: AgentFunction; readonly now: () => number; readonly letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let now = 0;
  return { agent: async () => (now++, await promise, now--, null), now: () => now, letGo: () => resolve() };
}

const eight = (more = ""): string =>
  Array.from({ length: 8 }, (_, n) => `  - { id: s${n}, agent: work${more} }`).join("\n");

describe("limits", () => {
  it.each([
    ["3 of a named agent where nothing is said", `name: f\nsteps:\n${eight()}\n`, {}, 3, "agent"],
    [
      "as many of an agent as its workflow says",
      `name: f\nagents: { work: { limits: { concurrency: 5 } } }\nsteps:\n${eight()}\n`,
      {},
      5,
      "agent",
    ],
    [
      "as many of an execution as its workflow says",
      `name: f\nconcurrency: 2\nsteps:\n${eight()}\n`,
      {},
      2,
      "execution-limit",
    ],
    ["as many in a process as there are slots", `name: f\nsteps:\n${eight()}\n`, { slots: 4, perAgent: 9 }, 4, "slots"],
  ])("SCHED-1 SCHED-7 let run at once %s, and `why` names them", async (_, yaml, limits, most, kind) => {
    const { agent, now, letGo } = blockingAgent();
    const engine = await fixture.current.open({ agents: { work: agent }, limits });
    const handle = await engine.start(contract(yaml));
    await pollUntil(() => now() === most, `${most} at once`);
    const waiting = (await engine.why(handle.id)).filter(({ reason }) => reason.kind !== "running");
    expect(waiting.filter(({ reason }) => reason.kind === kind)).toHaveLength(8 - most);
    expect(now()).toBe(most);
    letGo();
    await handle.result();
  });

  it("SCHED-1 of a step apply across all executions", async () => {
    const { agent, now, letGo } = blockingAgent();
    const engine = await fixture.current.open({ agents: { work: agent } });
    const definition = contract("name: f\nsteps: [{ id: a, agent: work, limits: { concurrency: 1 } }]\n");
    const handles = [await engine.start(definition), await engine.start(definition)];
    await pollUntil(() => now() === 1, "one runs");
    expect(await engine.why(handles[1]!.id)).toMatchObject([{ step: "a", reason: { kind: "step-limit", max: 1 } }]);
    letGo();
    await Promise.all(handles.map((handle) => handle.result()));
  });
});

/** Resolves when this many steps wait for a slot. */
async function untilWaiting(engine: Engine, id: string, count = 3): Promise<void> {
  const blocked = async () => (await engine.why(id)).filter(({ reason }) => reason.kind === "slots");
  await pollUntil(async () => (await blocked()).length === count, "they wait");
}

describe("the order of steps", () => {
  /** Starts an execution that takes the only slot, so that the others wait and are then granted in order. */
  async function readOrder(yaml: string, strategy: Strategy | undefined): Promise<readonly string[]> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const seen: string[] = [];
    const engine = await fixture.current.open({
      agents: { note: (_, { step }) => void seen.push(step.id), first: () => promise },
      limits: { slots: 1, perAgent: 9 },
      ...(strategy === undefined ? {} : { strategy }),
    });
    const gate = await engine.start(contract("name: gate\nsteps: [{ id: gate, agent: first }]\n"));
    await reaches(gate, "gate", "running");
    const handle = await engine.start(contract(yaml));
    // With `sequential`, only the step whose turn it is requests a slot.
    await untilWaiting(engine, handle.id, strategy === "sequential" ? 1 : 3);
    resolve();
    await handle.result();
    return seen;
  }

  const FLOW = `
name: order
steps:
  - { id: plain, agent: note }
  - { id: urgent, agent: note, priority: 10 }
  - { id: root, agent: note }
  - { id: leaf, agent: note, dependsOn: [root] }
`;
  const backwards: CustomStrategy = {
    select: (ready) => ready.toSorted((one, other) => (one.step < other.step ? 1 : -1))[0]!,
  };

  it.each<[string, Strategy | undefined, readonly string[]]>([
    ["priority, where nothing is said", undefined, ["urgent", "plain", "root", "leaf"]],
    ["fifo", "fifo", ["plain", "urgent", "root", "leaf"]],
    ["sequential", "sequential", ["plain", "urgent", "root", "leaf"]],
    ["hybrid", "hybrid", ["urgent", "root", "plain", "leaf"]],
    ["one of the user's own", backwards, ["urgent", "root", "plain", "leaf"]],
  ])("SCHED-2 SCHED-5 is that of %s", async (_, strategy, expected) => {
    expect(await readOrder(FLOW, strategy)).toEqual(expected);
  });

  it.each<[string, () => never]>([
    [
      "throws",
      () => {
        throw new Error("no idea");
      },
    ],
    ["chooses what is not there", () => ({ step: "elsewhere" }) as never],
  ])("SCHED-5 STRATEGY_BROKEN is first in, first out where a strategy %s, and that is reported", async (_, select) => {
    expect(await readOrder(FLOW, { select })).toEqual(["plain", "urgent", "root", "leaf"]);
    const faults = fixture.current.faults.splice(0);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults).toMatchObject(faults.map(() => ({ code: "STRATEGY_BROKEN" })));
  });
});

describe("the order of executions", () => {
  it("SCHED-2 is round-robin for those of the same priority", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const seen: string[] = [];
    const engine = await fixture.current.open({
      agents: { note: (input) => void seen.push(input as string), first: () => promise },
      limits: { slots: 1, perAgent: 9 },
    });
    await reaches(await engine.start(contract("name: gate\nsteps: [{ id: gate, agent: first }]\n")), "gate", "running");
    const three = "name: f\nsteps: [{ id: a, agent: note }, { id: b, agent: note }, { id: c, agent: note }]\n";
    const handles = [];
    for (const name of ["x", "y", "z"]) handles.push(await engine.start(contract(three), name));
    for (const { id } of handles) await untilWaiting(engine, id);
    resolve();
    await Promise.all(handles.map((handle) => handle.result()));
    expect(seen).toEqual(["x", "y", "z", "x", "y", "z", "x", "y", "z"]);
  });
});

describe("a failure callback", () => {
  const TRIED = "name: f\nsteps:\n  - { id: a, agent: work, retry: { attempts: 3, base: 1ms } }\n";
  const COMMAND = "name: f\nsteps:\n  - { id: a, run: exit 3, retry: { attempts: 3, base: 1ms } }\n";
  const work: AgentFunction = () => {
    throw Object.assign(new Error("quota of the day is used up"), { code: "E_DAILY" });
  };

  it("FAIL-7 classifies an error, also one from a thread, and leaves other errors to the engine", async () => {
    fixture.current.write(
      "thrower.mjs",
      "export default () => { throw Object.assign(new Error('no'), { code: 'E_DAILY' }); };\n",
    );
    const engine = await fixture.current.open({
      agents: { work },
      failures: { classify: (error) => ((error as { code?: string }).code === "E_DAILY" ? "permanent" : undefined) },
    });
    const handle = await engine.start(contract(TRIED));
    await expect(handle.result()).rejects.toMatchObject({ failure: { class: "permanent", code: "E_DAILY" } });
    expect((await findStep(handle, "a")).attempts).toBe(1);
    const agents = "agents: { thrower: { module: ./thrower.mjs, thread: true } }";
    const threaded = await engine.start(
      contract(`name: t\n${agents}\nsteps:\n  - { id: a, agent: thrower, retry: { attempts: 3, base: 1ms } }\n`),
    );
    await expect(threaded.result()).rejects.toMatchObject({ failure: { class: "permanent", code: "E_DAILY" } });
    expect((await findStep(threaded, "a")).attempts).toBe(1);
  });

  it("FAIL-7 makes a permanent failure retryable, a retryable one permanent, or sets the delay", async () => {
    const seen: string[] = [];
    const resolve = ({ code }: Failure, { step, attempt }: { step: string; attempt: number }) => {
      seen.push(`${code} ${step} ${attempt}`);
      if (code === "COMMAND_FAILED") return attempt === 1 ? ("retry" as const) : { retryAfterMs: 40 };
      return "fail" as const;
    };
    const engine = await fixture.current.open({ agents: { work }, failures: { resolve } });
    const command = await engine.start(contract(COMMAND));
    expect(await ending(command)).toBe("failed");
    expect((await findStep(command, "a")).attempts).toBe(3);
    const waits = (await readEvents(command, "step.retried")).map(({ at, dueAt }) => dueAt - at);
    expect(waits).toEqual([1, 40]);
    const failing = await engine.start(contract(TRIED));
    expect(await ending(failing)).toBe("failed");
    expect((await findStep(failing, "a")).attempts).toBe(1);
    expect(seen).toEqual(["COMMAND_FAILED a 1", "COMMAND_FAILED a 2", "COMMAND_FAILED a 3", "E_DAILY a 1"]);
  });

  it("FAIL-7 that throws is reported, and the engine decides", async () => {
    const fail = (): never => {
      throw new Error("no idea");
    };
    const engine = await fixture.current.open({ agents: { work }, failures: { classify: fail, resolve: fail } });
    const handle = await engine.start(contract(TRIED));
    expect(await ending(handle)).toBe("failed");
    expect((await findStep(handle, "a")).attempts).toBe(3);
    // Reported once per cause, although both callbacks were called three times.
    expect(fixture.current.faults.splice(0)).toMatchObject(
      Array.from({ length: 2 }, () => ({ code: "CALLBACK_FAILED", cause: { message: "no idea" } })),
    );
  });
});

describe("code that a function leaves running on its thread", () => {
  it("DATA-9 reports an error after the end of the attempt without the secret", async () => {
    fixture.current.write(
      "late.mjs",
      "export default (_, { secrets }) => void setTimeout(() => { throw new Error(`late ${secrets.token}`); }, 20);\n",
    );
    const engine = await fixture.current.open({ secrets: () => "long-enough-by-far" });
    const agents = "secrets: [token]\nagents: { late: { module: ./late.mjs, thread: true } }";
    const handle = await engine.start(
      contract(`name: l\n${agents}\nsteps:\n  - { id: a, agent: late, secrets: [token] }\n`),
    );
    await handle.result();
    await pollUntil(() => fixture.current.faults.length > 0, "the error is reported");
    const [fault] = fixture.current.faults.splice(0);
    expect(fault).toMatchObject({ message: "late ***" });
    expect(inspect(fault)).not.toContain("long-enough-by-far");
  });
});
