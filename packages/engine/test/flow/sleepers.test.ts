// Sleeping executions wake in the order of their times, whenever they began to sleep and whichever process owned them
// (BEYOND-2).

import { describe, expect, it } from "vitest";
import { Random } from "../../src/testing/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";
import { SleepingExecutions, memory, sqlite, type StoreOpener, type Waking } from "./sleeping-executions.ts";

const scratch = scratchFolder();
const STORES: readonly (readonly [string, () => StoreOpener])[] = [
  ["memory", memory],
  ["SQLite", () => sqlite(scratch.file())],
];
const SLEEPERS = 1000;
const LONGEST_MS = 600_000;

/** Unordered; about one in four shares its time with another. */
function dues(from: number): readonly number[] {
  const chance = new Random(7);
  const times = Array.from({ length: SLEEPERS }, () => from + chance.between(1, LONGEST_MS));
  return times.map((time, index) => (chance.percent(25) ? times[(index + 1) % SLEEPERS]! : time));
}

const inOrder = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);

/** The maximum delay of a timer, because timers of about the same time fire together; a timer is never early. */
const SLICE_MS = 8;

const isInTime = ({ due, at }: Waking): boolean => at >= due && at < due + SLICE_MS;

describe.each(STORES)("a thousand sleepers on %s", (_, opener) => {
  it("BEYOND-2 wake in the order of their times, none of them early", async () => {
    await using room = new SleepingExecutions(opener());
    await room.open();
    const times = dues(room.now);
    await room.sleep(times);
    await room.advance(LONGEST_MS + SLICE_MS);
    expect(room.woken.map(({ due }) => due)).toEqual(inOrder(times));
    expect(room.woken.filter((each) => !isInTime(each))).toEqual([]);
  });

  it("BEYOND-2 JOURNAL-3 wake in the same order when the engine was closed and opened again", async () => {
    await using room = new SleepingExecutions(opener());
    await room.open();
    const times = dues(room.now);
    await room.sleep(times);
    for (const share of [0, 0.3, 0.7]) {
      await room.advance(share * LONGEST_MS);
      await room.close();
      await room.open();
    }
    await room.advance(SLICE_MS);
    expect(room.woken.map(({ due }) => due)).toEqual(inOrder(times));
    expect(room.woken.filter((each) => !isInTime(each))).toEqual([]);
  });

  it("BEYOND-2 wake before all others when their time came while no engine was there", async () => {
    await using room = new SleepingExecutions(opener());
    await room.open();
    const times = dues(room.now);
    await room.sleep(times);
    await room.close();
    await room.advance(LONGEST_MS / 2);
    const openedAt = room.now;
    await room.open();
    const overdue = room.woken.splice(0);
    expect(overdue.map(({ due }) => due)).toEqual(inOrder(times.filter((due) => due <= openedAt)));
    await room.advance(LONGEST_MS / 2 + SLICE_MS);
    expect(room.woken.map(({ due }) => due)).toEqual(inOrder(times.filter((due) => due > openedAt)));
  });
});
