// kill -9 of a process whose engine runs commands: the next owner of the journal kills the leftover processes first.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { eventKinds } from "../engine/sample-flow.ts";
import { CRASH_WORKER } from "./crash-worker.ts";
import { isAlive, useFixture, findStep } from "./fixture.ts";

const fixture = useFixture();
const workers: ChildProcess[] = [];
afterEach(() => {
  for (const worker of workers.splice(0)) worker.kill("SIGKILL");
});

/**
 * Starts the contract in a process of its own, and kills that process when its commands have written this many pids.
 */
async function crash(yaml: string, id: string, pids: number): Promise<readonly number[]> {
  const contract = fixture.current.write(`${id}.yaml`, yaml);
  const worker = spawn(process.execPath, [CRASH_WORKER, fixture.current.file, contract, id], { stdio: "inherit" });
  workers.push(worker);
  await fixture.current.wrote("pids", pids);
  worker.kill("SIGKILL");
  await once(worker, "exit");
  return fixture.current.numbers("pids");
}

/** As if the process had been killed before it recorded its child processes. */
function deleteRecords(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("DELETE FROM processes");
  database.close();
}

/** Held by the command and all its children while any of them runs. */
const LOCKED = "exec 9>>lock; flock -n 9 || echo two at once >> overlaps";

describe("a command whose engine was killed", () => {
  it("CANCEL-2 JOURNAL-3 is killed by the next owner before its step runs again: there are never two", async () => {
    const yaml = `
name: crashed
steps:
  - id: work
    run: |
      ${LOCKED}
      trap '' TERM HUP
      echo $$ >> pids
      [ -e go ] || while [ -e first.yaml ]; do sleep 1; done
      echo second
output: \${ steps.work.output.stdout }
`;
    const left = await crash(yaml, "first", 1);
    expect(await Promise.all(left.map(isAlive))).toEqual([true]);
    fixture.current.write("go", "");
    const handle = await (await fixture.current.open()).get("first");
    expect(await handle.result()).toBe("second");
    expect(await Promise.all(left.map(isAlive))).toEqual([false]);
    expect(fixture.current.text("overlaps")).toBe("");
    expect(fixture.current.numbers("pids")).toHaveLength(2);
    expect(await eventKinds(handle)).toContain("step.lost");
    expect(await findStep(handle, "work")).toMatchObject({ status: "succeeded", epoch: 2 });
  });

  it("CANCEL-2 SCHED-4 is killed with the processes that left its group, so that its resources are really free", async () => {
    const yaml = `
name: crashed
resources: { device: 1 }
steps:
  - id: work
    run: |
      ${LOCKED}
      [ -e go ] && exit 0
      setsid sh -c 'trap "" TERM HUP; echo $$ >> pids; while [ -e first.yaml ]; do sleep 1; done' </dev/null >/dev/null 2>&1 &
      while [ -e first.yaml ]; do sleep 1; done
    resources: { device: 1 }
  - { id: other, run: "${LOCKED}", resources: { device: 1 }, dependsOn: [work] }
`;
    const left = await crash(yaml, "first", 1);
    expect(await Promise.all(left.map(isAlive))).toEqual([true]);
    fixture.current.write("go", "");
    const handle = await (await fixture.current.open()).get("first");
    await handle.result();
    expect(await Promise.all(left.map(isAlive))).toEqual([false]);
    expect(fixture.current.text("overlaps")).toBe("");
  });

  it("CANCEL-2 is left alone by engines that only read or post, and by the owner of another journal", async () => {
    const left = await crash("name: c\nsteps:\n  - { id: a, run: 'echo $$ >> pids; exec sleep 1000' }\n", "first", 1);
    const reader = await fixture.current.open({ mode: "readOnly" });
    expect((await (await reader.get("first")).status()).status).toBe("running");
    await fixture.current.open({ mode: "post" });
    await fixture.current.open({ file: fixture.current.path("other.db") });
    expect(await Promise.all(left.map(isAlive))).toEqual([true]);
    const owner = await fixture.current.open();
    expect(await Promise.all(left.map(isAlive))).toEqual([false]);
    await (await owner.get("first")).cancel({ graceMs: 0 });
  });
});

describe("a command whose engine was killed and whose journal was moved", () => {
  it("CANCEL-2 is killed by the next owner also if the folder was renamed before the process was recorded", async () => {
    const yaml = "name: c\nsteps:\n  - { id: a, run: '[ -e go ] && exit 0; echo $$ >> pids; exec sleep 1000' }\n";
    const contract = fixture.current.write("first.yaml", yaml);
    const worker = spawn(process.execPath, [CRASH_WORKER, fixture.current.file, contract, "first"], {
      stdio: "inherit",
    });
    workers.push(worker);
    await fixture.current.wrote("pids", 1);
    worker.kill("SIGKILL");
    await once(worker, "exit");
    deleteRecords(fixture.current.file);
    const left = fixture.current.numbers("pids");
    expect(await Promise.all(left.map(isAlive))).toEqual([true]);
    fixture.current.write("go", "");
    const moved = fixture.current.path("moved");
    mkdirSync(moved);
    for (const name of readdirSync(fixture.current.folder).filter((each) => each.startsWith("journal.db")))
      renameSync(fixture.current.path(name), join(moved, name));
    const engine = await fixture.current.open({ file: join(moved, "journal.db") });
    expect(await Promise.all(left.map(isAlive))).toEqual([false]);
    await (await engine.get("first")).result();
  });
});
