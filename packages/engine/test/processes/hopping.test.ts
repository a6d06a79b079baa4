// A process that starts another one and ends, again and again, so that each pid of a list is gone when it is read.

import { describe, expect, it, vi } from "vitest";
import { ProcessFinder } from "../../src/runners/process/process-finder.ts";
import { useProcessFixture } from "./process-fixture.ts";

/** The pids of each list, in order; later lists are real. */
const lists: number[][] = vi.hoisted(() => []);

vi.mock(import("../../src/runners/process/process-list.ts"), async (original) => {
  const real = await original();
  return { ...real, listProcesses: async () => lists.shift() ?? real.listProcesses() };
});

const fixture = useProcessFixture();
/** Above the largest pid of Linux. */
const GONE_PID = 2 ** 23;

describe.runIf(process.platform === "linux")("a scan", () => {
  it("PX2 finds a process that was gone, and had started another one, in fifteen lists in a row", async () => {
    const { attempt, running } = fixture.current.startScript("echo pid $$; exec sleep 1000");
    const pid = Number((await attempt.said(/pid (\d+)/u))[1]);
    for (let hops = 0; hops < 15; hops++) lists.push([GONE_PID + hops]);
    lists.push([pid]);
    expect(await new ProcessFinder().find(attempt.marker())).toEqual([pid]);
    expect(lists).toEqual([]);
    running.abort(true, "found");
    await attempt.isSettled;
  });

  it("PX1 answers with a process that was found at once, although another one died meanwhile", async () => {
    const { attempt, running } = fixture.current.startScript("echo pid $$; sleep 1000 & wait");
    const pid = Number((await attempt.said(/pid (\d+)/u))[1]);
    for (let passes = 0; passes < 1000; passes++) lists.push([pid, GONE_PID + passes]);
    expect(await new ProcessFinder().find(attempt.marker())).toEqual([pid]);
    expect(lists.splice(0)).toHaveLength(999);
    running.abort(true, "found");
    await attempt.isSettled;
  });

  it("PX3 ends although some process is gone in every list", async () => {
    for (let hops = 0; hops < 1000; hops++) lists.push([GONE_PID + hops]);
    expect(await new ProcessFinder().find("none")).toEqual([]);
    expect(lists.splice(0).length).toBeGreaterThan(900);
  });
});
