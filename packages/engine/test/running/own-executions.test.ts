// Stores of another user, and engines that resume only their own executions.

import { durationMs, stepId, type Definition } from "@segno/kernel";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StepContext } from "../../src/agents/step-context.ts";
import { Engine } from "../../src/api/engine.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { inspectOrigin } from "../../src/store/sqlite/inspection.ts";
import { VirtualEnvironment, VirtualTime } from "../../src/testing/virtual-environment.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";

const scratch = scratchFolder();
afterEach(() => void vi.unstubAllEnvs());

const WORK: Definition = {
  name: "work",
  steps: [{ id: stepId("work"), action: { kind: "agent", agent: "work" } }],
};
const WAIT: Definition = {
  name: "wait",
  steps: [{ id: stepId("wait"), action: { kind: "wait", on: "duration", for: durationMs(90_000) } }],
};

/** Survives the engine, so that the next one has it too. */
class KeptStore extends MemoryStore {
  override async close(): Promise<void> {}
}

describe("a store that another user made", () => {
  let file: string;
  beforeEach(async () => {
    file = scratch.file();
    vi.stubEnv("XDG_STATE_HOME", scratch.file());
    await (await Engine.open({ file })).close();
    vi.stubEnv("XDG_STATE_HOME", scratch.file());
  });

  it("STORE_FOREIGN is refused if the option says so, and is not changed", async () => {
    await expect(Engine.open({ file, foreign: "refuse" })).rejects.toMatchObject({ code: "STORE_FOREIGN" });
    expect(inspectOrigin(file)).toBe("foreign");
  });

  it("STORE_FOREIGN is accepted by an engine with the option, and belongs to this user from then on", async () => {
    await (await Engine.open({ file })).close();
    expect(inspectOrigin(file)).toBe("own");
    await (await Engine.open({ file, foreign: "refuse" })).close();
  });

  it.each([{ resume: "own" }, { mode: "post" }, { mode: "readOnly" }] as const)(
    "STORE_FOREIGN may be opened with %j, which goes on with nothing, and stays foreign",
    async (options) => {
      await (await Engine.open({ file, foreign: "refuse", ...options })).close();
      expect(inspectOrigin(file)).toBe("foreign");
    },
  );
});

describe("an engine that resumes only its own executions", () => {
  const ran: string[] = [];
  const agents = {
    work: (_: unknown, { execution }: StepContext) => void ran.push(execution.id),
  };
  let [time, store] = [new VirtualTime(), new KeptStore()];
  const open = (options: Parameters<typeof Engine.open>[0] = {}): Promise<Engine> =>
    Engine.open({ store, environment: new VirtualEnvironment(time), pollMs: 100, agents, ...options });

  beforeEach(async () => {
    ran.length = 0;
    [time, store] = [new VirtualTime(), new KeptStore()];
    await using before = await open({ limits: { slots: 0 } });
    await before.start(WORK, null, { id: "left" });
    await before.start(WAIT, null, { id: "waiting" });
    await before.start(WORK, null, { id: "keyed", idempotencyKey: "key" });
    await time.untilIdle();
    await before.close();
    await using poster = await open({ mode: "post" });
    await poster.start(WORK, null, { id: "posted-before" });
  });

  it("N6 leaves unfinished executions and earlier messages alone, also when they are due", async () => {
    await using engine = await open({ resume: "own" });
    await engine.start(WORK, null, { id: "mine" });
    await time.advance(200_000);
    expect(ran).toEqual(["mine"]);
    const { executions } = await engine.list();
    expect(executions.map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual([
      "keyed running",
      "left running",
      "mine completed",
      "waiting running",
    ]);
    expect((await store.poll()).messages).toHaveLength(1);
  });

  it("N6 takes messages that are posted while it is open, and answers queries", async () => {
    await using engine = await open({ resume: "own" });
    await using poster = await open({ mode: "post" });
    await poster.start(WORK, null, { id: "posted-now" });
    await time.advance(1000);
    expect(ran).toEqual(["posted-now"]);
    await (await engine.get("left")).resume();
    await time.advance(1000);
    expect(ran).toEqual(["posted-now", "left"]);
  });

  it("N6 IDEM-1 resumes an execution that it joins by its key", async () => {
    await using engine = await open({ resume: "own" });
    const handle = await engine.start(WORK, null, { idempotencyKey: "key" });
    await time.advance(1000);
    expect([handle.id, ran]).toEqual(["keyed", ["keyed"]]);
  });

  it("N6 can be followed by one that resumes everything", async () => {
    await (await open({ resume: "own" })).close();
    await using engine = await open();
    await time.advance(200_000);
    expect(engine.isOwner).toBe(true);
    expect(ran.toSorted()).toEqual(["keyed", "left", "posted-before"]);
  });
});
