// A merge that a person has to decide about, by the command.

import { join } from "node:path";
import { expect, it } from "vitest";

import { CodeFixture } from "./code-fixture.ts";

it("CODE-7 CODE-9 an escalation names the kept workspace and the command that opens it", async () => {
  using fixture = new CodeFixture();
  const agent = fixture.agent("agent.sh", 'echo "$SEGNO_TASK_ID" > a.txt');
  const tasks = ["left", "right"].map((id) => `  - { id: ${id}, instructions: i }`).join("\n");
  fixture.write("t.yaml", fixture.template(agent, tasks));
  fixture.write("c.yaml", "executor: { integration: { auto_create_fix_tasks: false } }\n");
  const words = ["t.yaml", "--repo", "repository", "--config", "c.yaml", "--id", "e1"];
  const running = fixture.start(["code", "run", ...words]);
  await running.reports(/merge-(?:left|right)\/escalation waits for approval/u);
  running.send("SIGKILL");
  const { stderr } = await running.ended;
  const task = /merge-(left|right)\/escalation/u.exec(stderr)![1]!;
  const workspace = join(fixture.repository, ".segno/worktrees/e1", task);
  expect(stderr).toContain(`in its workspace (${workspace})`);
  expect(stderr).toContain(`(segno code open ${task})`);

  const command = `code open ${task} --id e1`;
  expect((await fixture.run(["status"])).stdout).toContain(command);
  expect((await fixture.start(["show", "e1"]).ended).stdout).toContain(command);
  expect((await fixture.run(["open", task])).stdout).toBe(`${workspace}\n`);
});
