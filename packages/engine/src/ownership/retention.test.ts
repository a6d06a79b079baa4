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

function sweep(store: OldStore, mayGoOn: () => boolean = () => true): Promise<void> {
  const retention = new Retention({
    options: { retention: { endedMs: 1, logsMs: 1 } },
    access: {
      store,
      get isOpenOwner() {
        return mayGoOn();
      },
    },
    ages: { before: () => epochMs(0), notice: () => undefined },
    artifacts: { sweep: async () => undefined },
    timers: { sleep: async () => void store.calls.push("pause") },
  });
  return retention.sweep();
}

describe("a retention sweep", () => {
  it("JOURNAL-7 IDEM-3 removes everything that is old enough, 100 at a time, with pauses", async () => {
    const store = new OldStore(250);
    await sweep(store);
    expect(store.calls).toEqual(
      ["sweepKeys", "removeLogs", "removeEnded"].flatMap((what) => [
        `${what} 100`,
        "pause",
        `${what} 100`,
        "pause",
        `${what} 50`,
      ]),
    );
  });

  it("JOURNAL-7 stops when the store is not owned any more", async () => {
    const store = new OldStore(250);
    await sweep(store, () => store.calls.length === 0);
    expect(store.calls).toEqual(["sweepKeys 100", "pause"]);
  });
});
