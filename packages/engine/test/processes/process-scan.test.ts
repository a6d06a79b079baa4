import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { MarkerScan } from "../../src/runners/process/marker-scan.ts";
import { markersIn } from "../../src/runners/process/process-markers.ts";
import { ProcessGroup, signalProcess } from "../../src/runners/process/process-group.ts";
import { readStat } from "../../src/runners/process/process-stat.ts";
import { ProcessFinder } from "../../src/runners/process/process-finder.ts";
import { isAlive, toOutput, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  delete process.env["SEGNO_MARKER"];
  delete process.env["SEGNO_OUTER_MARKERS"];
});

function sleeper(marker: string): number {
  const env = { PATH: process.env["PATH"], SEGNO_MARKER: marker };
  const child = spawn("sleep", ["1000"], { env, stdio: "ignore" });
  children.push(child);
  return child.pid!;
}

describe("markers in an environment", () => {
  const markers = (...variables: readonly string[]): readonly string[] =>
    markersIn(Buffer.from(variables.map((variable) => `${variable}\0`).join("")));

  it("are whole variables, not text that looks like them", () => {
    expect(markers("SEGNO_MARKER=a", "PATH=/bin")).toEqual(["a"]);
    expect(markers("PATH=/bin", "SEGNO_MARKER=a=b")).toEqual(["a=b"]);
    expect(markers("XSEGNO_MARKER=a", "SEGNO_MARKERS=b", "X=SEGNO_MARKER=c")).toEqual([]);
    expect(markers("SEGNO_OUTER_MARKERS=a\nb", "SEGNO_MARKER=c")).toEqual(["c", "a", "b"]);
  });
});

describe("a scan", () => {
  it("PF1 finds the processes of each marker, for many at once", async () => {
    const sweep = new ProcessFinder();
    const marker = (name: string): string => `${fixture.current.prefix}${name}`;
    const [a1, a2, b] = [sleeper(marker("a")), sleeper(marker("a")), sleeper(marker("b"))];
    const found = await Promise.all([sweep.find(marker("a")), sweep.find(marker("b")), sweep.find(marker("c"))]);
    expect(found.map((pids) => new Set(pids))).toEqual([new Set([a1, a2]), new Set([b]), new Set()]);
  });

  it("PF1 finds processes started after the last scan", async () => {
    const sweep = new ProcessFinder();
    sweep.assumeAllUnmarked();
    const marker = `${fixture.current.prefix}late`;
    expect(await sweep.find(marker)).toEqual([]);
    const pid = sleeper(marker);
    expect(await sweep.find(marker)).toEqual([pid]);
  });

  it("PF2 returns no process that is gone", async () => {
    const sweep = new ProcessFinder();
    const marker = `${fixture.current.prefix}gone`;
    const pid = sleeper(marker);
    expect(await sweep.find(marker)).toEqual([pid]);
    const gone = once(children[0]!, "exit");
    signalProcess(pid, "SIGKILL");
    await gone;
    expect(await sweep.find(marker)).toEqual([]);
  });

  it("MS1 does not read again the processes from before the first command", async () => {
    const scan = new MarkerScan();
    const before = sleeper(`${fixture.current.prefix}before`);
    scan.assumeAllUnmarked();
    const after = sleeper(`${fixture.current.prefix}after`);
    const { marked } = await scan.pass();
    expect([marked.has(before), marked.has(after)]).toEqual([false, true]);
  });

  it("MS3 finds a process that calls `exec` all the time, and has no environment while it does", async () => {
    const marker = `${fixture.current.prefix}restless`;
    const env = { PATH: process.env["PATH"], SEGNO_MARKER: marker, AGAIN: 'exec sh -c "$AGAIN"' };
    const child = spawn("sh", ["-c", env.AGAIN], { env, stdio: "ignore" });
    children.push(child);
    for (let looks = 0; looks < 200; looks++) expect(await new ProcessFinder().find(marker)).toEqual([child.pid]);
  });

  it("MS4 takes a program without an environment as foreign", async () => {
    const child = spawn("env", ["-i", "sleep", "1000"], { stdio: "ignore" });
    children.push(child);
    while ((await readStat(child.pid!))?.hasNoEnv !== true);
    expect((await new MarkerScan().pass()).marked.has(child.pid!)).toBe(false);
  });
});

describe("a Segno that runs inside a step of another", () => {
  it("CV2 passes its own marker on to its commands", async () => {
    process.env["SEGNO_MARKER"] = "outer.1";
    process.env["SEGNO_OUTER_MARKERS"] = "outermost.7";
    const output = toOutput(await fixture.current.run('echo "$SEGNO_OUTER_MARKERS"; echo "$SEGNO_MARKER"'));
    expect(output).toMatchObject({ stdout: expect.stringMatching(/^outermost\.7\nouter\.1\n[0-9a-f-]{36}\.0$/u) });
  });

  it("OR2 spares the attempt that it runs in", async () => {
    process.env["SEGNO_MARKER"] = `${fixture.current.prefix}own`;
    const [own, other] = [sleeper(`${fixture.current.prefix}own`), sleeper(`${fixture.current.prefix}other`)];
    expect(await fixture.current.killOrphans()).toBe(1);
    expect([await isAlive(own), await isAlive(other)]).toEqual([true, false]);
  });
});

describe("a process group", () => {
  it("PG2 that has only zombies is gone", async () => {
    const { attempt } = fixture.current.startScript("setsid true & echo $!; exec sleep 1000");
    const pid = Number((await attempt.said(/\d+/u))[0]);
    while ((await readStat(pid))?.state !== "Z");
    expect(process.kill(-pid, 0)).toBe(true);
    expect(await new ProcessGroup(pid).hasLiveMembers()).toBe(false);
  });

  it("is never this process's own or that of pid 1", () => {
    const targets = [process.pid, 1, 0, -1];
    expect(targets.map((pid) => signalProcess(pid, "SIGCONT"))).toEqual([false, false, false, false]);
  });
});

describe("the list of processes", () => {
  it.runIf(process.platform === "linux")(
    "RD1 RD2 waits for a file descriptor instead of being empty, and at the exit of a process uses the one in reserve",
    async () => {
      const program = new URL("./exhausted-process.ts", import.meta.url).pathname;
      const script = 'ulimit -n 200; exec "$0" "$1"';
      const { stdout } = await promisify(execFile)("sh", ["-c", script, process.execPath, program]);
      expect(JSON.parse(stdout)).toEqual({ isListedSync: true, first: "waits", isListed: true });
    },
  );
});
