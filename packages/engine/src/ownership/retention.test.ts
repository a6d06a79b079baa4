import { epochMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { Retention } from "./retention.ts";
import { NoStore } from "../store/none/no-store.ts";

/** A store with a number of old executions, each with a key and logs. */
class OldStore extends NoStore {
  readonly calls: string[] = [];
  readonly #left: Record<string, number>;

  constructor(left: number) {
    super();
    this.#left = { sweepKeys: left, removeLogs: left, removeEnded: left };
  }

  /** More executions are old enough. */
  age(executions: number): void {
    this.#left["removeEnded"]! += executions;
  }

  readonly sweepKeys = (_: number, limit = Infinity): Promise<number> => this.#remove("sweepKeys", limit);
  readonly removeLogs = (_: number, limit = Infinity): Promise<number> => this.#remove("removeLogs", limit);
  readonly removeEnded = (_: number, limit: number): Promise<number> => this.#remove("removeEnded", limit);

  async #remove(what: string, limit: number): Promise<number> {
    const removed = Math.min(this.#left[what]!, limit);
    this.#left[what]! -= removed;
    this.calls.push(`${what} ${removed}`);
    return removed;
  }
}

function newRetention(store: OldStore, mayGoOn: () => boolean = () => true): Retention {
  return new Retention({
    options: { retention: { endedMs: 1, logsMs: 1 } },
    access: {
      store,
      get isOpenOwner() {
        return mayGoOn();
      },
    },
    ages: { before: () => epochMs(0), notice: () => undefined },
    artifacts: { sweep: async () => void store.calls.push("artifacts"), removeLeftCopies: () => undefined },
    timers: { sleep: async () => void store.calls.push("pause") },
  });
}

describe("a retention sweep", () => {
  it("JOURNAL-7 IDEM-3 removes everything that is old enough, 100 at a time, with pauses", async () => {
    const store = new OldStore(250);
    await newRetention(store).sweep();
    const removals = ["sweepKeys", "removeLogs", "removeEnded"].flatMap((what) => [
      `${what} 100`,
      "pause",
      `${what} 100`,
      "pause",
      `${what} 50`,
    ]);
    expect(store.calls).toEqual([...removals, "artifacts"]);
  });

  it("DATA-13 JOURNAL-7 looks for old artifacts once, and again when executions were removed", async () => {
    const store = new OldStore(0);
    const retention = newRetention(store);
    const sweeps = async (): Promise<number> => {
      store.calls.length = 0;
      await retention.sweep();
      return store.calls.filter((call) => call === "artifacts").length;
    };
    expect([await sweeps(), await sweeps()]).toEqual([1, 0]);
    store.age(1);
    expect([await sweeps(), await sweeps()]).toEqual([1, 0]);
  });

  it("JOURNAL-7 stops when the store is not owned any more", async () => {
    const store = new OldStore(250);
    await newRetention(store, () => store.calls.length === 0).sweep();
    expect(store.calls).toEqual(["sweepKeys 100", "pause"]);
  });
});
