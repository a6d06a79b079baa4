import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toFailure, isAlive, toOutput, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();

afterEach(() => {
  vi.restoreAllMocks();
});

/** As if the group belonged to another user. */
function refuseGroupSignals(): void {
  const kill = process.kill.bind(process);
  vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
    if (pid < 0) throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    return kill(pid, signal);
  });
}

describe("a command that is told to stop", () => {
  it("CANCEL-1 is not started if it is no longer current", async () => {
    const { attempt } = fixture.current.startScript("echo > ran", { isWanted: false });
    expect(toFailure(await attempt.ended)).toMatchObject({ class: "cancelled", code: "AbortError" });
    await attempt.isSettled;
    expect(existsSync(join(fixture.current.folder, "ran"))).toBe(false);
  });

  it("CANCEL-1 is not started if it was stopped before", async () => {
    const { attempt, running } = fixture.current.startScript("echo > ran");
    running.abort(false, "never mind");
    expect(toFailure(await attempt.ended)).toEqual({ class: "cancelled", code: "AbortError", message: "never mind" });
    await attempt.isSettled;
    expect(existsSync(join(fixture.current.folder, "ran"))).toBe(false);
  });

  it("CANCEL-2 gets SIGTERM with its whole group, and counts as cancelled", async () => {
    const { attempt, running } = fixture.current.startScript("sleep 1000 & echo $!; wait");
    const [child] = await attempt.said(/\d+/u);
    running.abort(false, "no longer needed");
    expect(toFailure(await attempt.ended)).toEqual({
      class: "cancelled",
      code: "AbortError",
      message: "no longer needed",
    });
    await attempt.isSettled;
    expect(await isAlive(Number(child))).toBe(false);
  });

  it("CANCEL-2 may clean up: an exit code of 0 within the grace period counts as succeeded", async () => {
    const { attempt, running } = fixture.current.startScript(
      "trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
    );
    await attempt.said(/ready/u);
    running.abort(false, "stop");
    expect(toOutput(await attempt.ended)).toMatchObject({ exitCode: 0, stdout: "ready\ncleaned" });
  });

  it("CANCEL-2 gets SIGTERM once, however often it is stopped", async () => {
    const { attempt, running } = fixture.current.startScript(
      "trap 'echo told' TERM; echo ready; while [ ! -e go ]; do sleep 0.01 || :; done; echo over",
    );
    await attempt.said(/ready/u);
    running.abort(false, "stop");
    await attempt.said(/told/u);
    running.abort(false, "stop again");
    fixture.current.file("go", "");
    expect(toOutput(await attempt.ended)).toMatchObject({ stdout: "ready\ntold\nover" });
  });
});

describe("an abandoned command", () => {
  it("CANCEL-2 that ignores SIGTERM is killed; its outcome is ignored, and its exit is reported", async () => {
    const { attempt, running } = fixture.current.startScript("trap '' TERM; echo $$; exec sleep 1000");
    const [pid] = await attempt.said(/\d+/u);
    running.abort(false, "stop");
    expect(await isAlive(Number(pid))).toBe(true);
    running.abort(true, "too late");
    await attempt.isSettled;
    expect(await isAlive(Number(pid))).toBe(false);
    expect(attempt.calls).toEqual(["exited"]);
  });

  it("CANCEL-2 is killed with grandchildren that left its group, and theirs", async () => {
    const { attempt, running } = fixture.current.startScript(
      "setsid sh -c 'setsid sleep 1000 & echo pid $!; echo pid $$; wait' & wait",
    );
    const [, ...pids] = await attempt.said(/pid (\d+)\npid (\d+)/u);
    running.abort(true, "away with it");
    await attempt.isSettled;
    for (const pid of pids) expect(await isAlive(Number(pid))).toBe(false);
  });

  it("CANCEL-2 is not started if it was abandoned before, and exits", async () => {
    const { attempt, running } = fixture.current.startScript("echo > ran");
    running.abort(true, "never mind");
    await attempt.isSettled;
    expect(attempt.calls).toEqual(["exited"]);
    expect(existsSync(join(fixture.current.folder, "ran"))).toBe(false);
  });

  it("CANCEL-2 exits only when its leftover processes are gone, however long that takes", async () => {
    const runner = fixture.current.runner({ graceMs: 60_000 });
    const child = "trap '' TERM; echo ready > ready; exec sleep 1000";
    const { attempt, running } = fixture.current.startScript(
      `mkfifo ready; sh -c "${child}" & read _ < ready; echo $!`,
      {},
      runner,
    );
    const pid = Number((await attempt.said(/\d+/u))[0]);
    expect(await isAlive(pid)).toBe(true);
    expect(attempt.calls).toEqual([]);
    running.abort(true, "no patience");
    await attempt.isSettled;
    expect(await isAlive(pid)).toBe(false);
    expect(attempt.calls).toEqual(["exited"]);
  });

  it.each([
    ["in its group", ""],
    ["in a session of its own", "setsid"],
  ])("CANCEL-2 exits only when no leftover process %s writes any more", async (_, setsid) => {
    const writer = "while :; do echo on >> written; done";
    const { attempt } = fixture.current.startScript(
      `mkfifo ready; ${setsid} sh -c 'echo $$ > ready; ${writer}' </dev/null >/dev/null 2>&1 & read pid < ready; echo $pid`,
    );
    const { stdout } = toOutput(await attempt.ended) as { stdout: string };
    expect(await isAlive(Number(stdout))).toBe(false);
    // Ending leftover processes has a limit of its own (FAIL-4).
    expect(attempt.isDeadlineDropped).toBe(true);
  });
});

describe("an abandoned command whose group cannot be killed", () => {
  it("CANCEL-2 exits within a bound, and its other processes are killed", async () => {
    const { attempt, running } = fixture.current.startScript("setsid sleep 1000 & echo pid $!; echo pid $$; wait");
    const [, ...pids] = await attempt.said(/pid (\d+)\npid (\d+)/u);
    refuseGroupSignals();
    running.abort(true, "away with it");
    await attempt.isSettled;
    for (const pid of pids) expect(await isAlive(Number(pid))).toBe(false);
    expect(attempt.calls).toEqual(["exited"]);
  });
});

describe("a runner that is closed", () => {
  it("CANCEL-2 leaves nothing running", async () => {
    const runner = fixture.current.runner();
    const started = [1, 2, 3].map(() => fixture.current.startScript("trap '' TERM; echo $$; sleep 1000", {}, runner));
    const pids = await Promise.all(started.map(async ({ attempt }) => Number((await attempt.said(/\d+/u))[0])));
    await runner.close();
    expect(await Promise.all(pids.map(isAlive))).toEqual([false, false, false]);
    expect(started.map(({ attempt }) => attempt.calls)).toEqual([["exited"], ["exited"], ["exited"]]);
  });

  it("CANCEL-1 starts nothing more", async () => {
    const runner = fixture.current.runner();
    await runner.close();
    const { attempt } = fixture.current.startScript("echo > ran", {}, runner);
    await attempt.isSettled;
    expect(existsSync(join(fixture.current.folder, "ran"))).toBe(false);
  });

  it("listens for the exit of this process only while a command runs", async () => {
    const before = process.listenerCount("exit");
    const runner = fixture.current.runner();
    const started = [1, 2].map(() => fixture.current.startScript("echo on; sleep 1000", {}, runner));
    await Promise.all(started.map(({ attempt }) => attempt.said(/on/u)));
    expect(process.listenerCount("exit")).toBe(before + 1);
    await runner.close();
    expect(process.listenerCount("exit")).toBe(before);
  });
});
