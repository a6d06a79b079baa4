// Processes that SIGKILL does not terminate.

import { afterEach, describe, expect, it, vi } from "vitest";
import { readStartTime } from "../../src/runners/process/start-time.ts";
import { MemoryRecords } from "./memory-records.ts";
import { isAlive, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();

afterEach(() => {
  vi.restoreAllMocks();
});

/** As if the process waited for a dead disk, on a clock that runs fast: a termination gives up after some seconds. */
function resistKills(pid: number): void {
  const kill = process.kill.bind(process);
  vi.spyOn(process, "kill").mockImplementation((target, signal) => Math.abs(target) === pid || kill(target, signal));
  const now = performance.now.bind(performance);
  const from = now();
  vi.spyOn(performance, "now").mockImplementation(() => from + 100 * (now() - from));
}

function reportedTexts(): readonly string[] {
  return fixture.current.reported.splice(0).map((error) => (error as Error).message);
}

const SCRIPT = "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo pid $!; while [ ! -e go ]; do sleep 0.01; done";

describe("a process that SIGKILL does not terminate", () => {
  it("CANCEL-2 PT4 is reported, stays recorded and stays guarded; the attempt ends without it", async () => {
    const listeners = process.listenerCount("exit");
    const records = new MemoryRecords();
    const { attempt } = fixture.current.startScript(SCRIPT, {}, fixture.current.runner({ records }));
    const pid = Number((await attempt.said(/pid (\d+)/u))[1]);
    await records.noted.promise;
    resistKills(pid);
    fixture.current.file("go", "");
    expect((await attempt.ended).kind).toBe("succeeded");
    await attempt.isSettled;
    expect(reportedTexts()).toEqual([`a process with the marker ${attempt.marker()} cannot be terminated`]);
    expect([await isAlive(pid), [...records.entries.keys()]]).toEqual([true, [attempt.marker()]]);
    expect(process.listenerCount("exit")).toBe(listeners + 1);
    vi.restoreAllMocks();
    expect([await fixture.current.killOrphans(records), records.entries.size]).toEqual([1, 0]);
    expect(await isAlive(pid)).toBe(false);
  });

  it("CANCEL-2 OR4 of a previous owner is reported, and its record stays for the next owner", async () => {
    const { attempt, running } = fixture.current.startScript("echo pid $$; exec sleep 1000");
    const pid = Number((await attempt.said(/pid (\d+)/u))[1]);
    const records = new MemoryRecords();
    await records.noteProcess({ marker: attempt.marker(), pid, startTime: await readStartTime(pid) });
    await records.noteProcess({ marker: "other.a.0.1", pid: 1, startTime: "" });
    resistKills(pid);
    expect(await fixture.current.killOrphans(records)).toBe(1);
    const text = "processes of a previous owner of the store cannot be terminated";
    expect(reportedTexts()).toEqual([expect.stringContaining(text)]);
    expect([...records.entries.keys()]).toEqual([attempt.marker()]);
    vi.restoreAllMocks();
    running.abort(true, "enough");
    await attempt.isSettled;
  });
});
