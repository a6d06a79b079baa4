// A turn is full at 512 events (JOURNAL-4). Grants that it cannot decide any more are left to the next turn: every step
// runs once, whatever the store answers meanwhile, and no slot and no deadline remains.

import { durationMs, executionId, type Definition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import type { EngineStore } from "../../src/store/engine-store.ts";
import { Engine, type AgentFunction, type ExecutionHandle } from "../../src/index.ts";
import type { CommitBatch } from "../../src/store/store.ts";
import { StoreFault } from "../../src/store/store-fault.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { VirtualEnvironment, VirtualTime } from "../../src/testing/virtual-environment.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { readEvents, flow, step } from "./sample-flow.ts";
import { inspectAdmission, inspectEngine } from "../../src/testing/index.ts";

const scratch = scratchFolder();
const COUNT = 2000;
/** The events that fill a turn, and one more: the end of the execution follows from the last step. */
const ROW_MAX = 513;
const limits = { slots: COUNT, perAgent: COUNT };
const timeout = durationMs(3_600_000);

/**
 * Many steps side by side, each with a dependant that gets its output. All have deadlines, so all are in the timer
 * queue.
 */
const PAIRS: Definition = flow(
  Array.from({ length: COUNT }, (_, index) => [
    step(`first${index}`, { agent: "first", timeout }),
    step(`second${index}`, {
      agent: "second",
      timeout,
      after: [`first${index}`],
      input: `\${ steps.first${index}.output }`,
    }),
  ]).flat(),
);

/** The agents of the pairs. The first steps all end at the same moment: when the last of them has begun. */
class Crew {
  readonly #runs = new Map<string, number>();
  readonly #gate = Promise.withResolvers<void>();
  readonly #output: string;
  #begun = 0;

  constructor(output: string = "given") {
    this.#output = output;
  }

  get agents(): Readonly<Record<string, AgentFunction>> {
    return {
      first: async (_, context) => {
        this.#count(context.step.id);
        if (++this.#begun === COUNT) this.#gate.resolve();
        await this.#gate.promise;
        return this.#output;
      },
      second: async (input, context) => this.#count(`${context.step.id} with ${String(input === this.#output)}`),
    };
  }

  /** The number of steps that ran, and the maximum number of runs of one step. */
  get runs(): readonly [steps: number, most: number] {
    return [this.#runs.size, Math.max(...this.#runs.values())];
  }

  /** Whether all dependants got the outputs of their first steps. */
  get hasGiven(): boolean {
    return [...this.#runs.keys()].every((name) => !name.endsWith("with false"));
  }

  #count(name: string): void {
    this.#runs.set(name, (this.#runs.get(name) ?? 0) + 1);
  }
}

interface Trouble {
  /** One commit in every `every` fails, starting with this one. */
  readonly every: number;
  readonly from: number;
  /** Whether the failed commit has happened (K4). */
  readonly hasHappened: boolean;
}

function failing<Kept extends EngineStore>(store: Kept, { every, from, hasHappened }: Trouble): Kept {
  let commits = 0;
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (name !== "commit") return typeof member === "function" ? member.bind(target) : member;
      return async (batch: CommitBatch) => {
        const fails = ++commits >= from && (commits - from) % every === 0;
        if (!fails || hasHappened) await target.commit(batch);
        if (fails) throw new StoreFault("STORE_IO", "the disk has gone away for a moment");
      };
    },
  });
}

/** In memory and in virtual time, so that reconciling takes no real time. */
async function runInMemory(crew: Crew, store: EngineStore): Promise<{ engine: Engine; handle: ExecutionHandle }> {
  const time = new VirtualTime();
  const environment = new VirtualEnvironment(time);
  const engine = await Engine.open({ store, agents: crew.agents, limits, environment, onFault: () => undefined });
  const starting = engine.start(PAIRS);
  await time.advance(20_000);
  return { engine, handle: await starting };
}

/** Nothing is held, and the timer queue holds at most the engine's own timers. */
async function expectDone(crew: Crew, engine: Engine, handle: ExecutionHandle): Promise<void> {
  expect((await handle.status()).status).toBe("completed");
  expect([crew.runs, crew.hasGiven]).toEqual([[2 * COUNT, 1], true]);
  expect(inspectAdmission(engine).usedSlots).toBe(0);
  expect(inspectEngine(engine).timerCount).toBeLessThan(5);
}

async function readRows(store: EngineStore, id: string): Promise<readonly number[]> {
  const loaded = await store.load(executionId(id));
  return loaded?.kind === "execution" ? loaded.blocks.map(({ count }) => count) : [];
}

describe("2,000 functions that end together, each with one behind it", () => {
  it("SCHED-1 run every step once where there is no store", async () => {
    const crew = new Crew();
    await using engine = await Engine.open({ store: "none", agents: crew.agents, limits });
    const handle = await engine.start(PAIRS);
    await handle.result();
    await expectDone(crew, engine, handle);
  });

  it("JOURNAL-4 fill one turn after the other in memory, and every step starts once", async () => {
    const [crew, store] = [new Crew(), new MemoryStore()];
    const { engine, handle } = await runInMemory(crew, store);
    await expectDone(crew, engine, handle);
    expect(await readEvents(handle, "step.started")).toHaveLength(2 * COUNT);
    const rows = await readRows(store, handle.id);
    expect(rows.filter((count) => count >= ROW_MAX - 1).length).toBeGreaterThan(10);
    expect(Math.max(...rows)).toBeLessThanOrEqual(ROW_MAX);
    expect((await engine.verify(handle.id)).ok).toBe(true);
    await engine.close();
  });

  it("JOURNAL-4 do so in a file that fails now and then", async () => {
    const crew = new Crew();
    const store = failing(await openSqliteStore(scratch.file()), { every: 5, from: 3, hasHappened: false });
    await using engine = await Engine.open({ store, agents: crew.agents, limits, onFault: () => undefined });
    const handle = await engine.start(PAIRS);
    await handle.result();
    await expectDone(crew, engine, handle);
    expect((await engine.verify(handle.id)).ok).toBe(true);
  });

  it.each([100, 513])("SCHED-1 give back %i slots that two executions of them share", async (slots) => {
    const runs: string[] = [];
    const work: AgentFunction = async (_, context) => void runs.push(`${context.execution.id} ${context.step.id}`);
    const time = new VirtualTime();
    await using engine = await Engine.open({
      store: new MemoryStore(),
      agents: { first: work, second: work },
      limits: { slots, perAgent: slots },
      environment: new VirtualEnvironment(time),
    });
    const handles = await Promise.all([engine.start(PAIRS), engine.start(PAIRS)]);
    await time.advance(1000);
    for (const handle of handles) expect((await handle.status()).status).toBe("completed");
    expect([runs.length, new Set(runs).size]).toEqual([4 * COUNT, 4 * COUNT]);
    expect(inspectAdmission(engine).usedSlots).toBe(0);
  });
});

const TROUBLES: readonly Trouble[] = [
  { every: 2, from: 1, hasHappened: false },
  { every: 2, from: 2, hasHappened: false },
  { every: 3, from: 5, hasHappened: false },
  { every: 2, from: 2, hasHappened: true },
  { every: 3, from: 5, hasHappened: true },
];

describe("a turn that is full and is answered with an error", () => {
  it.each(TROUBLES)("JOURNAL-3 K4 leaves nothing undone and does nothing twice: %o", async (trouble) => {
    const crew = new Crew();
    const { engine, handle } = await runInMemory(crew, failing(new MemoryStore(), trouble));
    await expectDone(crew, engine, handle);
    expect((await engine.verify(handle.id)).ok).toBe(true);
    await engine.close();
  });

  it("JOURNAL-3 K4 does so when values have to be loaded in the middle of it", async () => {
    // So long that a row would be too large: the values are stored outside it, and not in memory when it is folded
    // again.
    const crew = new Crew("x".repeat(2000));
    const store = failing(new MemoryStore(), { every: 3, from: 3, hasHappened: false });
    const { engine, handle } = await runInMemory(crew, store);
    await expectDone(crew, engine, handle);
    await engine.close();
  });
});
