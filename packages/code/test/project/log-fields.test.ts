// The fields of log lines, compared with what the agents saw, over a restart of the engine.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadExecutorConfig } from "../../src/config/executor-config.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

type Line = Readonly<Record<string, unknown>> & { readonly message: string };

/** A task whose first two merges fail. The agent of its first fix waits as long as there is a gate. */
function templateOf(project: CodeProject): string {
  const { root } = project;
  const agent = project.agent(
    "agent.sh",
    `echo "$(basename "$PWD") $PWD $(git branch --show-current)" >> '${root}/places'
case "$(basename "$PWD")" in
one) echo "bad a" > a.txt ;;
one.fix1) while [ -e '${root}/gate' ]; do sleep 0.05; done; echo "bad b" > a.txt ;;
one.fix2) echo good > a.txt ;;
*) echo late > late.txt ;;
esac`,
  );
  return `name: fields
policies: { step: checks, workflow: auto, checks: ['! grep bad a.txt'] }
agent: worker
agents: { worker: { command: ["${agent}"] } }
tasks: [{ id: one, instructions: i, type: feature }]
`;
}

function read(project: CodeProject, message: string): readonly Line[] {
  const text = readFileSync(join(project.root, "logs/execution.log"), "utf8");
  const lines = text.split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line).filter((line) => line.message === message);
}

describe("the fields of log lines", () => {
  it("EVENT-5 are those of fixes, of tasks that were added, and of real workspaces, also after a restart", async () => {
    await using project = new CodeProject({ "a.txt": "one\n" });
    project.git("checkout", "--quiet", "-b", "mine");
    const [gate, places] = [join(project.root, "gate"), join(project.root, "places")];
    writeFileSync(gate, "");
    const config = quick(loadExecutorConfig("executor: { events: { streams: [{ type: file, level: debug }] } }\n"));
    const { id } = await project.start(templateOf(project), config);
    await expect.poll(() => existsSync(places) && readFileSync(places, "utf8")).toContain("one.fix1");
    const late = { id: `${id}-late`, workflowId: id, title: "late", instructions: "l", type: "chore" };
    await project.backend.createTask(late);
    await project.backend.addDependency(late.id, `${id}-one`);
    await project.closeEngine();
    rmSync(gate);
    await (await (await project.openEngine()).get(id)).result();
    await project.closeEngine();
    const scheduled = read(project, "Task scheduled").map((line) => [
      line["taskId"],
      line["taskType"],
      line["dependencies"],
    ]);
    expect(scheduled).toEqual([
      ["one", "feature", []],
      ["one.fix1", "fix", []],
      ["one.fix2", "fix", []],
      ["late", "chore", ["one"]],
    ]);
    const created = read(project, "Session created").map((line) =>
      [line["taskId"], line["workspacePath"], line["taskBranch"]].join(" "),
    );
    expect(created).toEqual(readFileSync(places, "utf8").trim().split("\n"));
    const failed = read(project, "Merge failed").map((line) => [line["taskBranch"], line["workflowBranch"]]);
    expect(failed).toEqual([`task/${id}-one`, `task/${id}-one.fix1`].map((branch) => [branch, `workflow/${id}`]));
  });
});
