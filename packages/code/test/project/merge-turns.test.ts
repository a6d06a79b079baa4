import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { prepareStart } from "../../src/project/code-start.ts";
import { loadTemplate } from "../../src/template/load-template.ts";
import { CodeProject } from "./code-project.ts";

/** The resources of merges of tasks and of the landing, of a workflow that starts in this folder. */
async function turns(agent: string, repository: string, executionId: string): Promise<readonly string[]> {
  const text = `name: x\nagent: a\nagents: { a: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: i }]\n`;
  const template = loadTemplate({ text });
  const request = { template, templateFile: "x.yaml", parameters: {}, repository, baseBranch: "main", executionId };
  const { definition } = await prepareStart(request);
  return ["merge-one", "land"].flatMap((id) =>
    Object.keys(definition.steps.find((step) => step.id === id)!.resources!),
  );
}

describe("the turns of merges", () => {
  it("CODE-5 belong to a branch of a repository, from whatever worktree a workflow starts", async () => {
    await using project = new CodeProject();
    await using another = new CodeProject();
    const agent = project.agent("agent.sh", "");
    const linked = join(project.root, "linked");
    project.git("worktree", "add", "--quiet", linked, "-b", "linked");
    const [tasks, landing] = await turns(agent, project.folder, "w1");
    expect(tasks).toContain("workflow-w1");
    expect(await turns(agent, linked, "w1")).toEqual([tasks, landing]);
    expect((await turns(agent, project.folder, "w2"))[1]).toBe(landing);
    expect((await turns(agent, project.folder, "w2"))[0]).not.toBe(tasks);
    expect(await turns(agent, another.folder, "w1")).not.toContain(landing);
  });
});
