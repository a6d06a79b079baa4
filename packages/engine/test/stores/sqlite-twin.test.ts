// Compares the SQLite store with the memory store: the same calls, in a seeded order, by two independent handles. Both
// stores give the same answers and have the same visible state. So the caches of a handle are never visible (W1 to W4).

import { expect, it } from "vitest";
import type { LogLine } from "../../src/store/step-logs.ts";
import type { Append } from "../../src/store/store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { found, refusal, type ContractStore } from "./contract/claim.ts";
import { append, at, batch, content, toId, message, type Change } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { readState } from "./store-state.ts";

const scratch = scratchFolder();
const SEEDS = 6;
const CALLS = 900;
const IDS = ["a", "b", "c", "d"];

type Call = (store: ContractStore) => Promise<unknown>;

class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 7919 + 1;
  }

  below(limit: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state % limit;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}

/** Makes calls; most of them fit the state of the memory store, some are those of a handle that lost its execution. */
class Caller {
  readonly #dice: Dice;
  readonly #twin: MemoryStore;

  constructor(dice: Dice, twin: MemoryStore) {
    this.#dice = dice;
    this.#twin = twin;
  }

  async next(): Promise<Call> {
    const roll = this.#dice.below(100);
    if (roll < 55) return this.#commit(1);
    if (roll < 75) return this.#commit(2 + this.#dice.below(12));
    if (roll < 83) return this.#post(roll);
    if (roll < 91) return this.#take();
    if (roll < 93) return this.#log();
    return this.#administer(roll);
  }

  async #commit(count: number): Promise<Call> {
    const appends: Append[] = [];
    const chosen = this.#dice.pick(IDS);
    for (let index = 0; index < count; index++) {
      const id = this.#dice.below(4) === 0 ? this.#dice.pick(IDS) : chosen;
      appends.push(await this.#append(id, appends));
    }
    return (store) => store.commit(batch(...appends));
  }

  async #append(id: string, before: readonly Append[]): Promise<Append> {
    const summary = (await this.#twin.find({ limit: 100 })).executions.find((one) => one.id === id);
    const last = before.findLast(({ execution }) => execution === id);
    const seq = last?.projection.seq ?? summary?.projection.seq ?? 0;
    const epoch = last?.epoch ?? summary?.epoch ?? 1;
    const head = last?.projection.head ?? summary?.projection.head;
    const base = last === undefined && summary === undefined ? 0 : Math.max(0, epoch + this.#slip());
    const change = { ...this.#change(), found: base, epoch: Math.max(1, base, epoch + this.#slip()) };
    const after = this.#dice.below(40) === 0 ? Math.max(0, seq + this.#dice.pick([-2, 2])) : seq;
    if (head === undefined || after !== seq || this.#dice.below(15) > 0) return append(id, after, change);
    const { block: _, ...blockless } = append(id, after, change);
    return { ...blockless, projection: { ...blockless.projection, seq, head } };
  }

  /** Nearly always 0; otherwise a take-over, or a handle that was taken over. */
  #slip(): number {
    return this.#dice.below(40) === 0 ? this.#dice.pick([-1, 1]) : 0;
  }

  #change(): Change {
    const wakeAt = this.#dice.pick([null, null, at(this.#dice.below(50)), at(10)]);
    const status = this.#dice.below(10) === 0 ? this.#dice.pick(["paused", "completed"] as const) : "running";
    const values = this.#dice.below(20) === 0 ? [content(`value ${this.#dice.below(5)}`)] : [];
    return { values, projection: { wakeAt, status, updatedAt: at(this.#dice.below(60)) } };
  }

  #post(roll: number): Call {
    const posted = message(this.#dice.pick(IDS), `message ${roll}`);
    return (store) => store.post(posted);
  }

  async #take(): Promise<Call> {
    const { messages } = await this.#twin.poll();
    const taken = messages.slice(0, 1 + this.#dice.below(3)).map(({ id }) => id);
    const twice = this.#dice.below(10) === 0 ? taken.slice(0, 1) : [];
    const appends = this.#dice.below(2) === 0 ? [] : [await this.#append(this.#dice.pick(IDS), [])];
    return (store) => store.commit({ appends, consumedMessages: [...taken, ...twice] });
  }

  #log(): Call {
    const line = (): LogLine => ({
      step: this.#dice.pick(["build", "test"]),
      attempt: 1,
      stream: "stdout",
      at: at(0),
      text: String(this.#dice.below(1000)),
    });
    const logs = Array.from({ length: 1 + this.#dice.below(3) }, () => ({
      execution: toId(this.#dice.pick(IDS)),
      lines: Array.from({ length: this.#dice.below(4) }, line),
    }));
    return (store) => store.appendLogs(logs);
  }

  #administer(roll: number): Call {
    const id = toId(this.#dice.pick(IDS));
    if (roll < 94) return (store) => store.remove(id);
    if (roll < 95) return (store) => store.removeLogs(at(30), 1);
    if (roll < 96) return (store) => store.removeEnded(at(30), 2);
    if (roll < 97) return (store) => store.quarantine(id, "by chance");
    return (store) => store.removePayloads(id, (body) => body, at(9));
  }
}

async function answer(call: Call, store: ContractStore): Promise<unknown> {
  let result: unknown;
  const code = await refusal(
    call(store).then((value) => {
      result = value;
    }),
  );
  return [code, result];
}

/** Sorted by id, because stores may return due executions in any order (K9). */
async function due(store: ContractStore): Promise<string[][]> {
  return [
    (await found(store, { dueBy: at(9) })).toSorted(),
    (await found(store, { dueBy: at(10) })).toSorted(),
    (await found(store, { dueBy: at(30) })).toSorted(),
  ];
}

/** Line numbers are compared as well: they rise only by appends. */
async function readStepLogs(store: ContractStore, after: number): Promise<unknown> {
  const requests = IDS.flatMap((id) =>
    [{}, { after }, { step: "test" }].map((more) => ({ execution: toId(id), ...more })),
  );
  return Promise.all(requests.map((request) => store.readLogs({ ...request, limit: 1 + (after % 40) })));
}

for (let seed = 1; seed <= SEEDS; seed++)
  it(`LEASE-2 JOURNAL-4 two handles on one file are like one store in memory, seed ${seed}`, async () => {
    const file = scratch.file();
    const dice = new Dice(seed);
    const twin = new MemoryStore();
    const open = async (): Promise<ContractStore> =>
      scratch.closing(
        await openSqliteStore(file, { durability: "relaxed", writer: seed % 3 === 0 ? "thread" : "main" }),
      );
    const handles = [await open(), await open()];
    const caller = new Caller(dice, twin);
    let current = handles[0]!;
    for (let index = 0; index < CALLS; index++) {
      if (dice.below(12) === 0) current = dice.pick(handles);
      const call = await caller.next();
      expect([index, await answer(call, current)]).toEqual([index, await answer(call, twin)]);
      const reader = dice.pick(handles);
      expect([index, await due(reader)]).toEqual([index, await due(twin)]);
      expect(await reader.find({ limit: 100 }).then(({ executions }) => executions)).toEqual(
        await twin.find({ limit: 100 }).then(({ executions }) => executions),
      );
      if (index % 10 === 9)
        expect([index, await readStepLogs(reader, index)]).toEqual([index, await readStepLogs(twin, index)]);
      if (index % 50 === 49) expect(JSON.parse(await readState(reader))).toEqual(JSON.parse(await readState(twin)));
    }
  });
