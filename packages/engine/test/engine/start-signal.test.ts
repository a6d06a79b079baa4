// A start with the caller's signal, and the data that a step gets about its execution.

import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { Engine, type EngineOptions, type StepContext } from "../../src/index.ts";
import { contract, ending, useFixture, pollUntil } from "../running/fixture.ts";

const fixture = useFixture();
const ONE = contract("name: f\nsteps: [{ id: a, agent: work }]\n");
const untilStopped = (_: unknown, { signal }: StepContext): Promise<void> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
const STOPPABLE: EngineOptions = { agents: { work: untilStopped } };

describe("the signal of a start", () => {
  it("CANCEL-1 cancels the execution when it fires, with its reason", async () => {
    const engine = await fixture.current.open(STOPPABLE);
    const controller = new AbortController();
    const handle = await engine.start(ONE, null, { signal: controller.signal });
    controller.abort(new Error("the caller has left"));
    expect(await ending(handle)).toBe("cancelled");
    expect(await handle.status()).toMatchObject({ reason: "the caller has left" });
  });

  it("CANCEL-1 EXECUTION_CANCELLED refuses the start when it has fired already, and nothing exists", async () => {
    const engine = await fixture.current.open(STOPPABLE);
    await expect(engine.start(ONE, null, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "EXECUTION_CANCELLED",
    });
    expect((await engine.list()).executions).toEqual([]);
  });

  it("CANCEL-1 is not listened to any more when the execution has ended, or the engine is closed", async () => {
    const { signal } = new AbortController();
    const engine = await fixture.current.open({ agents: { work: async () => 1, wait: untilStopped } });
    await (await engine.start(ONE, null, { signal })).result();
    await pollUntil(() => getEventListeners(signal, "abort").length === 0, "nobody listens");
    await engine.start(contract("name: g\nsteps: [{ id: a, agent: wait }]\n"), null, { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await fixture.current.closeEngines();
    await pollUntil(() => getEventListeners(signal, "abort").length === 0, "nobody listens");
  });

  it("CANCEL-1 LEASE-5 is posted where another process owns the store", async () => {
    await fixture.current.open({ ...STOPPABLE, pollMs: 10 });
    const follower = await fixture.current.open({ pollMs: 10 });
    const controller = new AbortController();
    const handle = await follower.start(ONE, null, { signal: controller.signal });
    await pollUntil(async () => (await handle.status().catch(() => undefined))?.status === "running", "it runs");
    controller.abort();
    expect(await ending(handle)).toBe("cancelled");
    await pollUntil(() => getEventListeners(controller.signal, "abort").length === 0, "nobody listens");
  });

  it("OPTION_INVALID is anything else", async () => {
    await using engine = await Engine.open({ store: "none", ...STOPPABLE });
    const signal = { aborted: false } as AbortSignal;
    await expect(engine.start(ONE, null, { signal })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});

describe("the context of a step", () => {
  const HOLDING = contract(
    "name: f\nresources: { memory: 8, other: 1 }\nsteps: [{ id: a, agent: work, resources: { memory: 3 } }]\n",
  );

  it("DATA-1 SCHED-4 says whose execution it is, when that started, and what the step holds", async () => {
    const seen: StepContext[] = [];
    const engine = await fixture.current.open({ agents: { work: async (_, context) => void seen.push(context) } });
    const handle = await engine.start(HOLDING, null, { correlationId: "order-7" });
    await handle.result();
    const [{ execution, resources }] = seen as [StepContext];
    const started: number[] = [];
    for await (const { kind, at } of handle.events()) if (kind === "execution.started") started.push(at);
    expect([execution.correlationId, execution.startedAt, resources]).toEqual(["order-7", started[0], { memory: 3 }]);
  });

  it("DATA-1 says the same on a thread", async () => {
    fixture.current.write(
      "work.mjs",
      "export default (_, { execution, resources }) => ({ ...execution, startedAt: typeof execution.startedAt, resources });\n",
    );
    const engine = await fixture.current.open();
    const definition = contract(
      "name: f\nresources: { memory: 8 }\nagents: { work: { module: ./work.mjs, thread: true } }\nsteps: [{ id: a, agent: work, resources: { memory: 3 } }]\noutput: ${ steps.a.output }\n",
    );
    const handle = await engine.start(definition);
    expect(await handle.result()).toEqual({
      id: handle.id,
      workflow: "f",
      correlationId: handle.id,
      startedAt: "number",
      resources: { memory: 3 },
    });
  });
});
