import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "@segno/engine";
import { MemoryStore } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import type { CodeEvent } from "../../src/events/event-port.ts";
import { IntegrationManager } from "../../src/executor/integration-manager.ts";
import { mergeHistory } from "../../src/executor/merge-history.ts";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { AutoMergePolicy, PullRequestPolicy } from "../../src/merging/policies.ts";
import type { MergeResult } from "../../src/model/merge-result.ts";
import type { CodeTask } from "../../src/model/task.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { MemoryExecutor, quick } from "./memory-executor.ts";
import { independent, until, workspaceOf, writes } from "./memory-scripts.ts";

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
      id: "t.fix1",
      workflowId: "w",
      type: "fix",
      instructions: expect.stringContaining("change a") as string,
      context: { fix: { conflicts: { files: [{ path: "a.txt" }] }, error: { type: "merge_conflict" } } },
    });
    expect(manager.createFixTask(task, new Error("red"), 2)).toMatchObject({ id: "t.fix2" });
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
        "left.fix1": fix,
        "right.fix1": fix,
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

/** Two tasks that change the same file, without fixes: the second one is escalated. */
async function escalated(test: MemoryExecutor): Promise<{ readonly id: string; readonly taskId: string }> {
  const id = await test.executor.instantiateTemplate(independent("left", "right"), {});
  await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({ code: "TASK_ESCALATED" });
  const history = await test.executor.integrationManager.getMergeHistory(id);
  return { id, taskId: history.find(({ state }) => state === "failed")!.taskId! };
}

function openConflict(engine: Engine, first?: MemoryExecutor, policy = new RecordingPolicy()): MemoryExecutor {
  const config = quick(EXECUTOR_DEFAULTS);
  const integration = { ...config.integration, autoCreateFixTasks: false };
  const ports =
    first === undefined ? {} : { taskBackend: first.backend, workspacePort: first.workspaces, vcsPort: first.vcs };
  const test: MemoryExecutor = new MemoryExecutor(
    { left: writes(() => test, "a.txt", "left"), right: writes(() => test, "a.txt", "right") },
    { engine, config: { ...config, integration }, ports: { ...ports, stepMergePolicy: policy } },
  );
  return test;
}

class RecordingPolicy extends AutoMergePolicy {
  readonly calls: string[] = [];

  override async handleMergeFailure(mergeId: string, result: MergeResult): Promise<void> {
    this.calls.push(`failed ${mergeId} ${result.error?.type}`);
    await super.handleMergeFailure(mergeId, result);
  }

  override async cancelMerge(mergeId: string): Promise<void> {
    this.calls.push(`cancelled ${mergeId}`);
    await super.cancelMerge(mergeId);
  }
}

describe("the merges of an engine's workflow", () => {
  it("CODE-1 CODE-6 have their status in the journal and are tried again by a command, also after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "segno-merges-"));
    const file = join(folder, "segno.db");
    const engine = await Engine.open({ file });
    const first = openConflict(engine);
    const { id, taskId } = await escalated(first);
    await first.executor.close();
    await engine.close();
    const again = await Engine.open({ file });
    const second = openConflict(again, first);
    const { integrationManager } = second.executor;
    const name = `${id}/${taskId}`;
    expect(await integrationManager.getMergeStatus(name)).toMatchObject({
      state: "failed",
      taskId,
      result: { success: false, error: { message: expect.stringContaining("conflicts") as string } },
    });
    expect(await integrationManager.retryMerge(name)).toMatchObject({ success: false });
    first.repository.commitOn(`workflow/${id}`, { "a.txt": taskId });
    const landed = await integrationManager.retryMerge(name);
    expect(landed).toMatchObject({ success: true, commit: expect.any(String) as string });
    expect(await integrationManager.retryMerge(name)).toEqual(landed);
    expect(await integrationManager.getMergeStatus(name)).toMatchObject({ state: "completed", result: landed });
    expect(await integrationManager.getMergeStatus(`${id}/none`)).toBeUndefined();
    expect(await integrationManager.getMergeStatus("none/none")).toBeUndefined();
    await expect(integrationManager.retryMerge("none/none")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    await second.executor.close();
    await again.close();
    rmSync(folder, { recursive: true });
  });

  it("CODE-1 tell their policy about failures, and about the cancellation of the workflow", async () => {
    await using engine = await Engine.open({ store: new MemoryStore() });
    const policy = new RecordingPolicy();
    await using test = openConflict(engine, undefined, policy);
    const { id, taskId } = await escalated(test);
    expect(policy.calls).toEqual([`failed ${id}/${taskId} merge_conflict`]);
    await test.executor.cancelWorkflow(id);
    await until(() => policy.calls.length === 2);
    expect(policy.calls[1]).toBe(`cancelled ${id}/${taskId}`);
  });

  it("CODE-5 close their pull requests when the workflow is cancelled", async () => {
    await using engine = await Engine.open({ store: new MemoryStore() });
    const policy = new PullRequestPolicy({ needsApproval: true });
    await using test: MemoryExecutor = new MemoryExecutor(
      { a: writes(() => test, "a.txt", "a") },
      { engine, ports: { stepMergePolicy: policy } },
    );
    const id = await test.executor.instantiateTemplate(independent("a"), {});
    const running = test.executor.executeWorkflow(id).catch(() => undefined);
    const request = `task/${id}-a..workflow/${id}`;
    const status = async (): Promise<unknown> => await test.vcs.getPullRequestStatus(request).catch(() => undefined);
    await until(async () => (await policy.getMergeStatus(`${id}/a`))?.state === "waiting_for_approval");
    expect(await status()).toMatchObject({ kind: "open" });
    await test.executor.cancelWorkflow(id);
    await running;
    await until(async () => ((await status()) as { kind: string }).kind === "closed");
    expect(await policy.getMergeStatus(`${id}/a`)).toMatchObject({ state: "cancelled" });
  });
});
