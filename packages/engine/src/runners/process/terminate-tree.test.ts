// The system is faked: a search takes as long as the test says, and signals only arrive in a list.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as processGroup from "./process-group.ts";
import * as processStat from "./process-stat.ts";
import { terminateTree, type TerminationOptions, type TerminationResult } from "./terminate-tree.ts";

vi.mock(import("./process-group.ts"), { spy: true });
vi.mock(import("./process-stat.ts"), { spy: true });
vi.mock(import("./sleep.ts"), () => ({ sleep: async (ms: number) => void (now += ms) }));

const LEADER = 4700;
const GRACE_MS = 1000;
let now = 0;
const signals: string[] = [];
const reported: unknown[] = [];

beforeEach(() => {
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.mocked(processGroup.signalProcess).mockImplementation((pid, signal) => signals.push(`${signal} ${pid}`) > 0);
  vi.mocked(processStat.readStat).mockResolvedValue(processStat.parseStat(`1 (sh) S 1 1 1${" 0".repeat(46)}`));
});

afterEach(() => {
  vi.restoreAllMocks();
  signals.length = 0;
  reported.length = 0;
});

/** `found` has the result of each search; each search takes `searchMs`. */
function terminate(
  found: (search: number) => readonly number[],
  searchMs: number,
  options: Partial<TerminationOptions> = {},
): Promise<TerminationResult> {
  let searches = 0;
  const finder = { find: async () => ((now += searchMs), found(searches++)) };
  const group = { leader: LEADER, signal: () => undefined, hasLiveMembers: async () => false };
  const report = (error: unknown): void => void reported.push(error);
  const isForceStopped = (): boolean => true;
  const common = { group, marker: "a.1", finder, graceMs: GRACE_MS, signalled: new Set<number>() };
  return terminateTree({ ...common, isForceStopped, report, ...options });
}

describe("the termination of remaining processes on a busy system", () => {
  it("CANCEL-2 RT3 kills a process that a slow search has found, before anything is given up", async () => {
    expect(await terminate((search) => (search === 0 ? [4711] : []), 60_000)).toBe("gone");
    expect([signals, reported]).toEqual([["SIGKILL 4711"], []]);
  });

  it("CANCEL-2 RT1 sends SIGTERM first and waits for the grace period, however slow the first search is", async () => {
    const quick = terminate(() => (now < GRACE_MS / 2 ? [4711] : []), 10, { isForceStopped: () => false });
    expect([await quick, signals.splice(0)]).toEqual(["gone", ["SIGTERM 4711"]]);
    const slow = terminate((search) => (search < 2 ? [4712] : []), 60_000, { isForceStopped: () => false });
    expect([await slow, signals]).toEqual(["gone", ["SIGTERM 4712", "SIGKILL 4712"]]);
  });

  it("CANCEL-2 KP1 gives up a process only after several searches found it again after SIGKILL", async () => {
    expect(await terminate(() => [4711], 60_000)).toBe("unkillable");
    expect(signals).toEqual(Array.from({ length: 10 }, () => "SIGKILL 4711"));
    expect(reported).toEqual([new Error("a process with the marker a.1 cannot be terminated")]);
  });

  it("CANCEL-2 KP1 gives up no process that got SIGKILL only now, although others are unkillable", async () => {
    const isNew = (search: number): boolean => search > 9 && search < 30;
    const found = (search: number): readonly number[] => (isNew(search) ? [4711, 5000 + search] : [4711]);
    expect(await terminate(found, 1000)).toBe("unkillable");
    expect(signals.filter((signal) => signal !== "SIGKILL 4711")).toHaveLength(20);
  });

  it("CANCEL-2 KP2 kills new processes for longer than an unkillable one", async () => {
    expect(await terminate((search) => (search < 50 ? [5000 + search] : []), 1000)).toBe("gone");
    expect([signals.length, reported]).toEqual([50, []]);
  });

  it("CANCEL-2 KP2 is bounded although new processes appear for ever", async () => {
    expect(await terminate((search) => [5000 + search], 1000)).toBe("unkillable");
    expect(signals).toHaveLength(100);
  });
});

describe("the termination of remaining processes", () => {
  it("CANCEL-2 RT3 is bounded for a group in which no process has the marker", async () => {
    const kills: unknown[] = [];
    const signal = (sent: unknown): void => void kills.push(sent);
    const group = { leader: LEADER, signal, hasLiveMembers: async () => true };
    expect(await terminate(() => [], 1000, { group })).toBe("unkillable");
    expect([new Set(kills), kills.length]).toEqual([new Set(["SIGKILL"]), 10]);
  });
});
