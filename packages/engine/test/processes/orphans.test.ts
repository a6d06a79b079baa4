import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { markedProcesses } from "../../src/runners/process/orphans.ts";
import { readStartTime } from "../../src/runners/process/start-time.ts";
import { MemoryRecords } from "./memory-records.ts";
import { isAlive, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A sleeping process with its own environment. */
function sleeper(env: Readonly<Record<string, string>> = {}): ChildProcess & { readonly pid: number } {
  const child = spawn("sleep", ["1000"], { env: { PATH: process.env["PATH"], ...env }, stdio: "ignore" });
  children.push(child);
  return child as ChildProcess & { readonly pid: number };
}

/** A process that runs a script by a runner, and the script's output until it was ready. */
async function runnerProcess(
  task: string,
  marker: string,
  script: string,
): Promise<{ child: ChildProcess; said: string }> {
  const program = new URL("./runner-process.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [program, task, marker, script], {
    stdio: ["ignore", "pipe", task === "throw" ? "ignore" : "inherit"],
  });
  children.push(child);
  let said = "";
  while (!said.includes("ready\n")) said += String((await once(child.stdout, "data"))[0]);
  return { child, said };
}

const pidsIn = (text: string): readonly number[] => [...text.matchAll(/\d+/gu)].map(Number);

describe("processes that a previous owner left running", () => {
  it("CANCEL-2 are found by the prefix of their markers, and killed", async () => {
    const { prefix } = fixture.current;
    const [ours, outer, foreign, unmarked] = [
      sleeper({ SEGNO_MARKER: `${prefix}a` }),
      sleeper({ SEGNO_MARKER: "other.b", SEGNO_OUTER_MARKERS: `other.c\n${prefix}d` }),
      sleeper({ SEGNO_MARKER: `other.${prefix}` }),
      sleeper({ NOT_SEGNO_MARKER: `${prefix}e` }),
    ];
    expect(await fixture.current.killOrphans()).toBe(2);
    expect(await Promise.all([ours, outer, foreign, unmarked].map(({ pid }) => isAlive(pid)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it("CANCEL-2 are found by pid and start time if the marker is gone; a pid alone is never trusted", async () => {
    const [noted, reused, untold] = [sleeper(), sleeper(), sleeper()];
    const records = new MemoryRecords();
    const { prefix } = fixture.current;
    await records.noteProcess({ marker: `${prefix}a`, pid: noted.pid, startTime: await readStartTime(noted.pid) });
    await records.noteProcess({ marker: `${prefix}b`, pid: reused.pid, startTime: await readStartTime(process.pid) });
    await records.noteProcess({ marker: `${prefix}c`, pid: untold.pid, startTime: "" });
    expect(await fixture.current.killOrphans(records)).toBe(1);
    expect(await Promise.all([noted, reused, untold].map(({ pid }) => isAlive(pid)))).toEqual([false, true, true]);
    expect(records.entries.size).toBe(0);
  });

  it("CANCEL-2 are found in the group of a recorded process, also without a marker", async () => {
    const script = "env -i sleep 1000 & echo $!; echo ready; exec sleep 1000";
    const leader = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    children.push(leader);
    let said = "";
    while (!said.includes("ready\n")) said += String((await once(leader.stdout, "data"))[0]);
    const [member] = pidsIn(said);
    const records = new MemoryRecords();
    const marker = `${fixture.current.prefix}a`;
    await records.noteProcess({ marker, pid: leader.pid!, startTime: await readStartTime(leader.pid!) });
    expect(await fixture.current.killOrphans(records)).toBe(2);
    expect(await Promise.all([leader.pid!, member!].map(isAlive))).toEqual([false, false]);
  });

  it("CANCEL-2 are left alone if their record came with a copy of another store", async () => {
    const theirs = sleeper();
    const records = new MemoryRecords();
    await records.noteProcess({ marker: "other.a.0.1", pid: theirs.pid, startTime: await readStartTime(theirs.pid) });
    expect(await fixture.current.killOrphans(records)).toBe(0);
    expect(await isAlive(theirs.pid)).toBe(true);
    expect(records.entries.size).toBe(0);
  });

  it("CANCEL-2 are killed after a kill of their parent, also those that left their group", async () => {
    const marker = `${fixture.current.prefix}crash`;
    const script = "setsid sleep 1000 >/dev/null 2>&1 & echo $!; echo $$; echo ready; sleep 1000";
    const { child, said } = await runnerProcess("wait", marker, script);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await Promise.all(pidsIn(said).map(isAlive))).toEqual([true, true]);
    await fixture.current.killOrphans();
    expect(await Promise.all(pidsIn(said).map(isAlive))).toEqual([false, false]);
  });
});

/** One process in the command's group, one in a session of its own, and the command itself. */
const THREE = `trap '' TERM HUP INT QUIT; sleep 1000 & echo $!
setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!
echo $$; echo ready; sleep 1000`;

async function expectAllGone(said: string): Promise<void> {
  // A killed process disappears only after the system has delivered the signal.
  while ((await markedProcesses(fixture.current.prefix)).length > 0);
  expect(pidsIn(said)).toHaveLength(3);
  expect(await Promise.all(pidsIn(said).map(isAlive))).toEqual([false, false, false]);
}

describe("a process that exits while commands run", () => {
  it.each(["exit", "throw"])("CANCEL-2 kills them and all their children on exit (%s)", async (task) => {
    const { child, said } = await runnerProcess(task, `${fixture.current.prefix}${task}`, THREE);
    if (child.exitCode === null) await once(child, "exit");
    await expectAllGone(said);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
    "CANCEL-2 kills them when %s ends it, and ends by that signal",
    async (signal) => {
      const { child, said } = await runnerProcess("wait", `${fixture.current.prefix}${signal}`, THREE);
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([null, signal]);
      await expectAllGone(said);
    },
  );

  it.each(["signal-exit", "two-copies"])(
    "CANCEL-2 kills them and ends by the signal beside another guard that waits for it (%s)",
    async (task) => {
      const { child, said } = await runnerProcess(task, `${fixture.current.prefix}${task}`, THREE);
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
      await expectAllGone(said);
    },
  );

  it("CANCEL-2 leaves a signal to the program that handles it", async () => {
    const { child, said } = await runnerProcess("listen", `${fixture.current.prefix}listen`, THREE);
    const heard = once(child.stdout!, "data");
    child.kill("SIGTERM");
    expect(String((await heard)[0])).toBe("heard\n");
    expect(await Promise.all(pidsIn(said).map(isAlive))).toEqual([true, true, true]);
    child.kill("SIGKILL");
    await once(child, "exit");
    await fixture.current.killOrphans();
  });

  it("CANCEL-2 continues when it gets SIGPIPE", async () => {
    const { child, said } = await runnerProcess("listen", `${fixture.current.prefix}pipe`, THREE);
    child.kill("SIGPIPE");
    const heard = once(child.stdout!, "data");
    child.kill("SIGTERM");
    expect(String((await heard)[0])).toBe("heard\n");
    expect(await Promise.all(pidsIn(said).map(isAlive))).toEqual([true, true, true]);
    child.kill("SIGKILL");
    await once(child, "exit");
    await fixture.current.killOrphans();
  });
});

describe("the record of a process", () => {
  it("CANCEL-2 has its marker, pid and start time, and is removed at its end", async () => {
    const records = new MemoryRecords();
    const { attempt, running } = fixture.current.startScript("sleep 1000", {}, fixture.current.runner({ records }));
    const { marker, pid, startTime } = await records.noted.promise;
    expect(marker).toBe(attempt.marker());
    expect(startTime).toMatch(/^[0-9a-f-]{36}\/\d+ \d+ [0-9a-f-]{36}\/\d+$/u);
    expect(startTime).toContain(`${await readStartTime(pid)} `);
    running.abort(true, "enough");
    expect(await records.forgotten.promise).toBe(marker);
    expect(records.entries.size).toBe(0);
  });

  it("CANCEL-2 OR1 has the group of a process that exits at once and leaves members", async () => {
    const records = new MemoryRecords();
    const script = "env -i sleep 1000 >/dev/null 2>&1 & exit 0";
    const { attempt } = fixture.current.startScript(script, {}, fixture.current.runner({ records }));
    expect(await records.noted.promise).toMatchObject({
      marker: attempt.marker(),
      startTime: expect.stringMatching(/ /u),
    });
    expect(await records.forgotten.promise).toBe(attempt.marker());
  });

  it("is reported if it cannot be written, and the command continues", async () => {
    const records = new MemoryRecords();
    const fault = new Error("the disk is full");
    records.noteProcess = () => Promise.reject(fault);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const runner = fixture.current.runner({ records, report: resolve });
    const { attempt } = fixture.current.startScript("while [ ! -e go ]; do sleep 0.01; done; echo on", {}, runner);
    expect(await promise).toBe(fault);
    fixture.current.file("go", "");
    expect((await attempt.ended).kind).toBe("succeeded");
  });
});
