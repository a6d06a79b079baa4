// Agents that are registered at the moment in which they are missing, and attempts that are stopped before they begin.

import { durationMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Engine, type AgentFunction } from "../../src/index.ts";
import type { CommitBatch } from "../../src/store/store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { VirtualEnvironment, VirtualTime } from "../../src/testing/virtual-environment.ts";
import { flow, step } from "./sample-flow.ts";
import { inspectEngine } from "../../src/testing/index.ts";

/** Holds the first commit until the test releases it. */
class HeldStore extends MemoryStore {
  readonly #gate = Promise.withResolvers<void>();
  readonly #asked = Promise.withResolvers<void>();

  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  letGo(): void {
    this.#gate.resolve();
  }

  override async commit(batch: CommitBatch): Promise<void> {
    this.#asked.resolve();
    await this.#gate.promise;
    await super.commit(batch);
  }
}

const work: AgentFunction = () => Promise.resolve(1);

describe("an agent that is registered while a full turn is written", () => {
  // More than a turn holds, so that the step with the missing agent is left to the next one.
  const known = Array.from({ length: 600 }, (_, index) => step(`s${index}`));
  const late = step("late", { agent: "late" });

  it.each([
    { place: "first", steps: [late, ...known] },
    { place: "last", steps: [...known, late] },
  ])("FAIL-9 lets the execution go on, when its step is the $place one", async ({ steps }) => {
    const time = new VirtualTime();
    const store = new HeldStore();
    await using engine = await Engine.open({
      store,
      agents: { work },
      limits: { slots: 1000, perAgent: 1000 },
      environment: new VirtualEnvironment(time),
    });
    const starting = engine.start(flow(steps));
    await store.asked;
    engine.agent("late", work);
    store.letGo();
    const handle = await starting;
    await time.advance(1000);
    expect((await handle.status()).status).toBe("completed");
  });
});

it("CANCEL-2 an attempt that is stopped while its secrets are asked for leaves no deadline behind", async () => {
  const time = new VirtualTime();
  await using engine = await Engine.open({
    store: "none",
    agents: { work },
    environment: new VirtualEnvironment(time),
    secrets: () => new Promise<string>(() => undefined),
  });
  const timers = inspectEngine(engine).timerCount;
  const asking = { ...step("asks", { timeout: durationMs(3_600_000) }), secrets: ["token"] };
  const handle = await engine.start({ ...flow([asking]), secrets: ["token"] });
  await time.advance(10);
  await handle.cancel({ graceMs: 0 });
  // The provider is still pending, for at most the callback timeout.
  await time.advance(10_000);
  expect([inspectEngine(engine).liveCount, inspectEngine(engine).timerCount]).toEqual([0, timers]);
});
