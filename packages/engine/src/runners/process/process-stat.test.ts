import { describe, expect, it } from "vitest";
import { hasEndedMainThread, isDead, parseStat, readStat } from "./process-stat.ts";

/** The first 22 fields of a process with this name. */
const toText = (name: string, state = "S", threads = 1): string =>
  `4711 (${name}) ${state} 1 4700 4700 0 -1 4194304 99 0 0 0 1 2 0 0 20 0 ${threads} 0 123456 9999 1`;

describe("what the system tells about a process", () => {
  it("is read past whatever the program is called", () => {
    for (const name of ["sleep", "a b", "x) Z 9 9 (", ") ) )"])
      expect(parseStat(toText(name))).toMatchObject({ state: "S", parent: 1, group: 4700, startTicks: "123456" });
  });

  it("CANCEL-2 tells a process that has ended from one of which only the main thread has ended", () => {
    const stat = (state: string, threads: number) => parseStat(toText("work", state, threads))!;
    const ended = [stat("Z", 1), stat("X", 0)];
    const running = [stat("S", 1), stat("R", 2), stat("Z", 2)];
    expect([ended.map(isDead), running.map(isDead)]).toEqual([
      [true, true],
      [false, false, false],
    ]);
    expect([...ended, ...running].filter(hasEndedMainThread)).toEqual([stat("Z", 2)]);
  });

  it("tells a program that was started without an environment from one that is just being started", () => {
    const stat = (start: number, end: number): ReturnType<typeof parseStat> =>
      parseStat(`${toText("sleep")}${" 0".repeat(25)} ${start} ${end} 0`);
    expect(stat(7000, 7000)).toMatchObject({ hasNoEnv: true });
    expect(stat(7000, 7100)).toMatchObject({ hasNoEnv: false });
    expect(stat(0, 0)).toMatchObject({ hasNoEnv: false });
    expect(parseStat(toText("sleep"))).toMatchObject({ hasNoEnv: false });
  });

  it("is nothing when it is cut, and nothing for a process that is not there", async () => {
    expect(parseStat("4711 (sleep) S 1")).toBeUndefined();
    expect(await readStat(2 ** 30)).toBeUndefined();
  });

  it.runIf(process.platform === "linux")("is found for this process", async () => {
    expect(await readStat(process.pid)).toMatchObject({ parent: process.ppid });
  });
});
