// Pull requests that a repository keeps without a forge, by the command.

import { expect, it } from "vitest";

import { CodeFixture } from "./code-fixture.ts";

it("CODE-5 a pull request without a forge is shown with its text, its state and the results of its checks", async () => {
  using fixture = new CodeFixture();
  const agent = fixture.agent("agent.sh", "echo work > b.txt");
  const template = fixture.template(agent, "  - { id: one, title: Add b, instructions: i }");
  const policies = 'policies: { step: pr_and_merge, workflow: pr_and_notify, checks: ["test -f b.txt"] }';
  fixture.write("t.yaml", template.replace(/^policies.*$/mu, policies));
  const running = fixture.start(["code", "run", "t.yaml", "--repo", "repository", "--id", "e1"]);
  await running.reports(/land\/approval waits for approval/u);
  running.send("SIGKILL");
  await running.ended;
  const one = "pull request task/e1-one..workflow/e1 (merged, checks: passed): Add b";
  const { stdout } = await fixture.run(["status"]);
  expect(stdout).toContain(one);
  expect(stdout).toContain("pull request workflow/e1..main (open, checks: pending): Workflow sample");
  const diff = (await fixture.run(["diff", "one"])).stdout;
  expect(diff).toContain(`${one}\n\nAdd b\n\nSegno-Execution: e1\n`);
  expect(diff).toContain("+work");
});
