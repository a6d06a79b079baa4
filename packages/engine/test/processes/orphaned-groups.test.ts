// Groups of recorded processes, after the recorded process itself has exited (OR1).

import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { readIdentity } from "../../src/runners/process/process-identity.ts";
import { MemoryRecords } from "./memory-records.ts";
import { isAlive, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();
const members: number[] = [];

afterEach(() => {
  for (const pid of members.splice(0)) process.kill(pid, "SIGKILL");
});

interface ExitedLeader {
  readonly pid: number;
  /** A process of its group without a marker. */
  readonly member: number;
  readonly identity: string;
}

async function exitedLeader(): Promise<ExitedLeader> {
  const script = "env -i sleep 1000 >/dev/null & echo $!; read line";
  const leader = spawn("sh", ["-c", script], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  let said = "";
  while (!said.includes("\n")) said += String((await once(leader.stdout, "data"))[0]);
  const identity = await readIdentity(leader.pid!);
  leader.stdin.end();
  await once(leader, "exit");
  return { pid: leader.pid!, member: Number(said), identity };
}

describe.skipIf(process.platform !== "linux")("the group of a recorded process that has exited", () => {
  it("CANCEL-2 OR1 is killed, also without a marker", async () => {
    const { pid, member, identity } = await exitedLeader();
    const records = new MemoryRecords();
    await records.noteProcess({ marker: `${fixture.current.prefix}a`, pid, startTime: identity });
    expect(await fixture.current.killOrphans(records)).toBe(1);
    expect(await isAlive(member)).toBe(false);
  });

  it.each([
    ["of an earlier boot", (identity: string) => identity.replaceAll(/[\da-f-]{36}/gu, "another-boot")],
    ["from so long ago that its pid may have been used again", (identity: string) => identity.replace(/ \d+ /u, " 1 ")],
    ["from a system that was set back since", (identity: string) => identity.replace(/ \d+ /u, " 999999999999 ")],
    ["of another namespace of pids", (identity: string) => identity.replace(/\d+$/u, "1")],
    ["without the count of processes", (identity: string) => identity.split(" ")[0]!],
  ])("CANCEL-2 is left alone if its record is %s", async (_, change) => {
    const { pid, member, identity } = await exitedLeader();
    members.push(member);
    const records = new MemoryRecords();
    await records.noteProcess({ marker: `${fixture.current.prefix}a`, pid, startTime: change(identity) });
    expect(await fixture.current.killOrphans(records)).toBe(0);
    expect(await isAlive(member)).toBe(true);
  });

  it("CANCEL-2 is left alone if another process has its pid", async () => {
    const other = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    members.push(other.pid!);
    const identity = (await readIdentity(process.pid)).replace(/\/\d+/u, "/1");
    const records = new MemoryRecords();
    await records.noteProcess({ marker: `${fixture.current.prefix}a`, pid: other.pid!, startTime: identity });
    expect(await fixture.current.killOrphans(records)).toBe(0);
    expect(await isAlive(other.pid!)).toBe(true);
  });
});
