// `segno code run` is killed, and `segno work` goes on.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";

import { CodeFixture } from "./code-fixture.ts";

const TASKS = ["a", "b", "c"];

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it("CODE-6 CODE-10 lands each task once after several kills, and no agent survives", async () => {
  using fixture = new CodeFixture();
  const pids = join(fixture.root, "pids");
  const agent = fixture.agent(
    "agent.sh",
    `setsid sh -c 'trap "" TERM; echo $$ >> ${pids}; exec sleep 600' > /dev/null 2>&1 &\nsleep 0.3; echo "$SEGNO_TASK_ID" > "$SEGNO_TASK_ID.txt"`,
  );
  const tasks = TASKS.map((id) => `  - { id: ${id}, instructions: i }`).join("\n");
  const file = fixture.write("t.yaml", fixture.template(agent, tasks));
  const first = fixture.start(["code", "run", file, "--repo", "repository", "--quiet"]);
  while (!existsSync(pids)) await sleep(10);
  first.send("SIGKILL");
  await first.ended;
  // Later moments than the last one: each process gets a little further.
  for (const ms of [900, 1300, 1700]) {
    const worker = fixture.start(["work", "--until-idle"]);
    await Promise.race([sleep(ms), worker.ended]);
    worker.send("SIGKILL");
    await worker.ended;
  }
  const last = await fixture.start(["work", "--until-idle"]).ended;
  expect(last.exitCode, last.stderr).toBe(0);
  const landed = fixture.git("log", "--format=%(trailers:key=Segno-Task,valueonly,separator=%x2C)", "--merges", "main");
  expect(landed.split("\n").filter(Boolean).toSorted()).toEqual(["_workflow", ...TASKS]);
  expect(fixture.git("ls-tree", "--name-only", "main").split("\n")).toEqual(["a.txt", "b.txt", "c.txt"]);
  expect(fixture.git("status", "--porcelain")).toBe("");
  expect(fixture.git("branch", "--list", "task/*")).toBe("");
  const agents = readFileSync(pids, "utf8").trim().split("\n").map(Number);
  await expect.poll(() => agents.filter(isAlive)).toEqual([]);
});
