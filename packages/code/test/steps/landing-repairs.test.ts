import { Engine } from "@segno/engine";
import { SILENT_LOGGER } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { branchRef, taskBranch, workflowBranch } from "../../src/git/branch-names.ts";
import { mergePolicy } from "../../src/merging/policies.ts";
import { loadTemplate } from "../../src/template/load-template.ts";
import { MemoryExecutor } from "../executor/memory-executor.ts";

const ID = "repair";
const TWO = loadTemplate({
  text: "name: two\ntasks:\n  - { id: left, instructions: left }\n  - { id: right, instructions: right, dependsOn: [] }\n",
});

/** Two tasks that change the same file, so that the merge of the second conflicts. */
function conflicting(test: () => MemoryExecutor, fix: AgentScript): Record<string, AgentScript> {
  const write = (text: string): AgentScript => {
    return ({ request }) => {
      test().workspaces.write(request.workspacePath.replace("/memory/", ""), "a.txt", text);
      return undefined;
    };
  };
  return { left: write("left\n"), right: write("right\n"), "left.fix1": fix, "right.fix1": fix };
}

const CHANGES_NOTHING: AgentScript = () => undefined;

async function openEngine(): Promise<Engine> {
  return await Engine.open({ store: "none", logger: SILENT_LOGGER });
}

/** Runs the workflow until a person is asked, and returns the task that waits. */
async function runToEscalation(test: MemoryExecutor): Promise<string> {
  await test.executor.instantiateTemplate(TWO, {}, ID);
  const error: unknown = await test.executor.executeWorkflow(ID).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "TASK_ESCALATED" });
  return /merge-(\w+)\/escalation/u.exec((error as Error).message)![1]!;
}

describe("a merge that failed", () => {
  it("CODE-7 is escalated, not landed, if its fix changes nothing", async () => {
    await using engine = await openEngine();
    await using test: MemoryExecutor = new MemoryExecutor(
      conflicting(() => test, CHANGES_NOTHING),
      { engine },
    );
    const task = await runToEscalation(test);
    expect(test.repository.resolve(`refs/segno/${ID}/landed/${task}`)).toBeUndefined();
    expect(test.repository.refs("refs/segno/repair/landed/")).toHaveLength(1);
  });

  it("CODE-7 CODE-9 lands what a person merged by hand into the branch of the task, and removes that branch only", async () => {
    await using engine = await openEngine();
    await using test: MemoryExecutor = new MemoryExecutor(
      conflicting(() => test, CHANGES_NOTHING),
      { engine },
    );
    const { repository } = test;
    const task = await runToEscalation(test);
    const head = (branch: string): string => repository.resolve(branchRef(branch))!;
    const branch = taskBranch(ID, task);
    const parents = [head(branch), head(workflowBranch(ID))];
    const files = new Map([["a.txt", "left and right\n"]]);
    const repaired = repository.commit({ files, parents, message: "by hand", atMs: 0 });
    repository.move(branchRef(branch), parents[0], repaired);
    test.workspaces.write(`${ID}/${task}`, "a.txt", "left and right\n");
    const other = repository.commitOn(taskBranch(ID, `${task}.fix1`), { "b.txt": "a thought" });
    await (await engine.get(ID)).approve(`merge-${task}/escalation`, { by: "person" });
    await (await engine.get(ID)).result();
    expect(repository.read(head("main")).files.get("a.txt")).toBe("left and right\n");
    expect(repository.isAncestor(repaired, head("main"))).toBe(true);
    expect(repository.refs("refs/heads/task/")).toEqual([branchRef(taskBranch(ID, `${task}.fix1`))]);
    expect(head(taskBranch(ID, `${task}.fix1`))).toBe(other);
  });
});

describe("a landing that is repeated after a crash", () => {
  it("CODE-6 finds its marker although the branch of its pull request is gone", async () => {
    const { vcs, repository } = new MemoryExecutor();
    await vcs.createBranch("task/x-a", "main");
    const sourceHead = repository.commitOn("task/x-a", { "a.txt": "a" });
    const marker = { workflowId: "x", name: "a" };
    const request = {
      mergeId: "x/a",
      workflowId: "x",
      vcs,
      marker,
      sourceBranch: "task/x-a",
      sourceHead,
      targetBranch: "main",
      title: "A",
      message: "A",
      atMs: 0,
      isApproved: true,
      signal: new AbortController().signal,
    };
    const first = await mergePolicy("pr_and_notify").mergeWorkflow(request);
    await vcs.deleteBranch("task/x-a", sourceHead, marker);
    expect(await mergePolicy("pr_and_notify").mergeWorkflow(request)).toEqual(first);
  });
});
