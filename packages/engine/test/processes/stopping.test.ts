import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failureIn, isAlive, outputOf, workbench } from "./workbench.ts";

const bench = workbench();

describe("a command that is told to stop", () => {
  it("CANCEL-1 is not started when nobody wants it any more", async () => {
    const { attempt } = bench.current.startScript("echo > ran", { isWanted: false });
    expect(failureIn(await attempt.ended)).toMatchObject({ class: "cancelled", code: "AbortError" });
    await attempt.isSettled;
    expect(existsSync(join(bench.current.folder, "ran"))).toBe(false);
  });

  it("CANCEL-1 is not started when that comes before it began", async () => {
    const { attempt, running } = bench.current.startScript("echo > ran");
    running.abort(false, "never mind");
    expect(failureIn(await attempt.ended)).toEqual({ class: "cancelled", code: "AbortError", message: "never mind" });
    await attempt.isSettled;
    expect(existsSync(join(bench.current.folder, "ran"))).toBe(false);
  });

  it("CANCEL-2 gets SIGTERM with its whole group, and counts as cancelled", async () => {
    const { attempt, running } = bench.current.startScript("sleep 1000 & echo $!; wait");
    const [child] = await attempt.said(/\d+/u);
    running.abort(false, "no longer needed");
    expect(failureIn(await attempt.ended)).toEqual({
      class: "cancelled",
      code: "AbortError",
      message: "no longer needed",
    });
    await attempt.isSettled;
    expect(await isAlive(Number(child))).toBe(false);
  });

  it("CANCEL-2 may clean up: an exit code of 0 within the grace counts as succeeded", async () => {
    const { attempt, running } = bench.current.startScript(
      "trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
    );
    await attempt.said(/ready/u);
    running.abort(false, "stop");
    expect(outputOf(await attempt.ended)).toMatchObject({ exitCode: 0, stdout: "ready\ncleaned" });
  });

  it("CANCEL-2 gets SIGTERM once, however often it is told", async () => {
    const { attempt, running } = bench.current.startScript(
      "trap 'echo told' TERM; echo ready; while [ ! -e go ]; do sleep 0.01 || :; done; echo over",
    );
    await attempt.said(/ready/u);
    running.abort(false, "stop");
    await attempt.said(/told/u);
    running.abort(false, "stop again");
    bench.current.file("go", "");
    expect(outputOf(await attempt.ended)).toMatchObject({ stdout: "ready\ntold\nover" });
  });
});

describe("a command that is given up", () => {
  it("CANCEL-2 ignores SIGTERM and is killed; its end counts for nothing, and it settles", async () => {
    const { attempt, running } = bench.current.startScript("trap '' TERM; echo $$; exec sleep 1000");
    const [pid] = await attempt.said(/\d+/u);
    running.abort(false, "stop");
    expect(await isAlive(Number(pid))).toBe(true);
    running.abort(true, "too late");
    await attempt.isSettled;
    expect(await isAlive(Number(pid))).toBe(false);
    expect(attempt.told).toEqual(["settled"]);
  });

  it("CANCEL-2 takes grandchildren with it that left its group, and theirs", async () => {
    const { attempt, running } = bench.current.startScript(
      "setsid sh -c 'setsid sleep 1000 & echo pid $!; echo pid $$; wait' & wait",
    );
    const [, ...pids] = await attempt.said(/pid (\d+)\npid (\d+)/u);
    running.abort(true, "away with it");
    await attempt.isSettled;
    for (const pid of pids) expect(await isAlive(Number(pid))).toBe(false);
  });

  it("CANCEL-2 is not started when that comes before it began, and settles", async () => {
    const { attempt, running } = bench.current.startScript("echo > ran");
    running.abort(true, "never mind");
    await attempt.isSettled;
    expect(attempt.told).toEqual(["settled"]);
    expect(existsSync(join(bench.current.folder, "ran"))).toBe(false);
  });

  it("CANCEL-2 has ended only when what it left behind is gone, however patient it is with that", async () => {
    const runner = bench.current.runner({ graceMs: 60_000 });
    const child = "trap '' TERM; echo ready > ready; exec sleep 1000";
    const { attempt, running } = bench.current.startScript(
      `mkfifo ready; sh -c "${child}" & read _ < ready; echo $!`,
      {},
      runner,
    );
    const pid = Number((await attempt.said(/\d+/u))[0]);
    expect(await isAlive(pid)).toBe(true);
    expect(attempt.told).toEqual([]);
    running.abort(true, "no patience");
    await attempt.isSettled;
    expect(await isAlive(pid)).toBe(false);
    expect(attempt.told).toEqual(["settled"]);
  });

  it.each([
    ["in its group", ""],
    ["in a session of its own", "setsid"],
  ])("CANCEL-2 has ended only when nothing writes any more that it left %s", async (_, setsid) => {
    const writer = "while :; do echo on >> written; done";
    const { attempt } = bench.current.startScript(
      `mkfifo ready; ${setsid} sh -c 'echo $$ > ready; ${writer}' </dev/null >/dev/null 2>&1 & read pid < ready; echo $pid`,
    );
    const { stdout } = outputOf(await attempt.ended) as { stdout: string };
    expect(await isAlive(Number(stdout))).toBe(false);
    // FAIL-4: ending what was left has a limit of its own.
    expect(attempt.isCleaning).toBe(true);
  });
});

describe("a runner that is closed", () => {
  it("CANCEL-2 leaves nothing running", async () => {
    const runner = bench.current.runner();
    const started = [1, 2, 3].map(() => bench.current.startScript("trap '' TERM; echo $$; sleep 1000", {}, runner));
    const pids = await Promise.all(started.map(async ({ attempt }) => Number((await attempt.said(/\d+/u))[0])));
    await runner.close();
    expect(await Promise.all(pids.map(isAlive))).toEqual([false, false, false]);
    expect(started.map(({ attempt }) => attempt.told)).toEqual([["settled"], ["settled"], ["settled"]]);
  });

  it("CANCEL-1 starts nothing more", async () => {
    const runner = bench.current.runner();
    await runner.close();
    const { attempt } = bench.current.startScript("echo > ran", {}, runner);
    await attempt.isSettled;
    expect(existsSync(join(bench.current.folder, "ran"))).toBe(false);
  });

  it("listens for the exit of this process only while something runs", async () => {
    const before = process.listenerCount("exit");
    const runner = bench.current.runner();
    const started = [1, 2].map(() => bench.current.startScript("echo on; sleep 1000", {}, runner));
    await Promise.all(started.map(({ attempt }) => attempt.said(/on/u)));
    expect(process.listenerCount("exit")).toBe(before + 1);
    await runner.close();
    expect(process.listenerCount("exit")).toBe(before);
  });
});
