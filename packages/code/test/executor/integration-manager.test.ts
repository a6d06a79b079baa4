import { Engine } from "@segno/engine";
import { MemoryStore } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import type { CodeEvent } from "../../src/events/event-port.ts";
import { IntegrationManager } from "../../src/executor/integration-manager.ts";
import { mergeHistory } from "../../src/executor/merge-history.ts";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import type { CodeTask } from "../../src/model/task.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { independent, workspaceOf, writes } from "./memory-scripts.ts";

async function conflicting(): Promise<{
  readonly vcs: MemoryVcs;
  readonly manager: IntegrationManager;
  readonly task: CodeTask;
}> {
  const repository = new MemoryRepository({ "a.txt": "first" });
  const vcs = new MemoryVcs(repository);
  await vcs.createBranch("workflow/w", "main");
  await vcs.createBranch("task/w-t", "main");
  repository.commitOn("task/w-t", { "a.txt": "task" });
  repository.commitOn("workflow/w", { "a.txt": "workflow" });
  const task = await new MemoryTaskBackend().createTask({ id: "t", workflowId: "w", instructions: "change a" });
  return { vcs, task, manager: new IntegrationManager(new AutoMergePolicy(), vcs) };
}

describe("an integration manager", () => {
  it("CODE-7 reports a conflict, describes it, and makes a fix task of it", async () => {
    const { manager, task } = await conflicting();
    expect(await manager.detectConflicts("task/w-t", "workflow/w")).toBe(true);
    expect((await manager.getConflictDetails("task/w-t", "workflow/w")).files.map(({ path }) => path)).toEqual([
      "a.txt",
    ]);
    const result = await manager.mergeStep("task/w-t", "workflow/w", task);
    expect(result).toMatchObject({ success: false, error: { type: "merge_conflict" } });
    expect(await manager.getMergeStatus("w/t")).toMatchObject({ state: "failed", taskId: "t" });
    expect(manager.createFixTask(task, result.error!)).toMatchObject({
      id: "t-fix1",
      workflowId: "w",
      type: "fix",
      instructions: expect.stringContaining("change a") as string,
      context: { fix: { conflicts: { files: [{ path: "a.txt" }] }, error: { type: "merge_conflict" } } },
    });
    expect(manager.createFixTask(task, new Error("red"), 2)).toMatchObject({ id: "t-fix2" });
  });

  it("CODE-6 merges again after a repair, and lands once", async () => {
    const { manager, task, vcs } = await conflicting();
    await manager.mergeStep("task/w-t", "workflow/w", task);
    vcs.repository.commitOn("workflow/w", { "a.txt": "first" });
    const landed = await manager.retryMerge("w/t");
    expect(landed).toMatchObject({ success: true });
    expect(await manager.retryMerge("w/t")).toEqual(landed);
    expect(vcs.mergedBranches).toEqual(["task/w-t"]);
    await expect(manager.retryMerge("w/other")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    await expect(manager.mergeStep("task/none", "workflow/w", task)).rejects.toMatchObject({ code: "BRANCH_MISSING" });
    await expect(manager.getMergeHistory("w")).rejects.toMatchObject({ code: "CONFIGURATION_INVALID" });
  });
});

describe("the history of merges", () => {
  it("CODE-7 has a failed merge, the merge after the fix, and the landing, for a task and for the workflow", async () => {
    const fix: AgentScript = ({ request }) => {
      test.workspaces.write(workspaceOf(request.workspacePath), "a.txt", "both");
      return undefined;
    };
    await using engine = await Engine.open({ store: new MemoryStore() });
    await using test: MemoryExecutor = new MemoryExecutor(
      {
        left: writes(() => test, "a.txt", "left"),
        right: writes(() => test, "a.txt", "right"),
        "left-fix1": fix,
        "right-fix1": fix,
      },
      { engine },
    );
    const id = await test.executor.instantiateTemplate(independent("left", "right"), {});
    await test.executor.executeWorkflow(id);
    const { integrationManager } = test.executor;
    const all = await integrationManager.getMergeHistory(id);
    const failed = all.find(({ state }) => state === "failed")!;
    expect(failed).toMatchObject({ workflowId: id, error: expect.stringContaining("conflicts") as string });
    expect((await integrationManager.getMergeHistory(id, failed.taskId)).map(({ state }) => state)).toEqual([
      "failed",
      "completed",
    ]);
    expect(all.at(-1)).toMatchObject({ state: "completed" });
    expect(all.at(-1)!.taskId).toBeUndefined();
    expect(mergeHistory(test.events.events)).toEqual(all);
  });

  it("CODE-5 shows what a merge waits for", () => {
    const event = (type: CodeEvent["type"], timestamp: number): CodeEvent => ({
      type,
      timestamp,
      workflowId: "w",
      taskId: "t",
      id: String(timestamp),
    });
    const events = [event("merge.started", 1), event("merge.waiting_for_approval", 2)];
    expect(mergeHistory(events)).toEqual([
      { workflowId: "w", taskId: "t", state: "waiting_for_approval", startedAt: 1 },
    ]);
    expect(mergeHistory([...events, event("merge.completed", 5)], "t")).toMatchObject([
      { state: "completed", startedAt: 1, endedAt: 5 },
    ]);
    expect(mergeHistory(events, "other")).toEqual([]);
  });
});
