import { describe, expect, it } from "vitest";
import { WorkflowManager, type WorkflowManagerPorts } from "../../src/executor/workflow-manager.ts";
import { MemoryEvents } from "../../src/events/memory-events.ts";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { bindTemplate } from "../../src/template/bound-template.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { independent, template, writes } from "./memory-scripts.ts";
import { recorded } from "./recorded-ports.ts";

const PLAN = bindTemplate(
  template("name: two\ntasks:\n  - { id: a, instructions: a }\n  - { id: b, instructions: b, dependsOn: [a] }\n"),
  {},
);

class Ports implements WorkflowManagerPorts {
  readonly calls: string[] = [];
  readonly repository = new MemoryRepository();
  readonly backend = new MemoryTaskBackend();
  readonly events = new MemoryEvents();
  readonly taskBackend = recorded(this.backend, this.calls);
  readonly vcsPort = recorded(new MemoryVcs(this.repository), this.calls);
  readonly workflowMergePolicy = new AutoMergePolicy();
  readonly eventPort = recorded(this.events, this.calls);

  get types(): readonly string[] {
    return this.events.events.map(({ type }) => type);
  }

  async completeAll(): Promise<void> {
    for (const id of ["w-a", "w-b"]) await this.backend.completeTask(id, { success: true });
  }
}

describe("a workflow manager with ports alone", () => {
  it("CODE-3 validates, creates the branch, writes the records and announces the start, in this order", async () => {
    const ports = new Ports();
    const context = await new WorkflowManager(ports).initializeWorkflow("w", "main", PLAN);
    expect(context).toMatchObject({ workflowId: "w", workflowBranch: "workflow/w", baseBranch: "main" });
    const steps = ["getBranchStatus", "createBranch", "createTask", "publish"];
    expect(ports.calls.filter((call, index) => steps.includes(call) && ports.calls.indexOf(call) === index)).toEqual(
      steps,
    );
    expect(ports.calls.lastIndexOf("createTask")).toBeLessThan(ports.calls.indexOf("publish"));
    expect(ports.types).toEqual(["workflow.started"]);
    expect((await ports.backend.getTask("w"))!.dependencies).toEqual(["w-a", "w-b"]);
  });

  it("CODE-3 changes nothing when it initialises the same workflow again", async () => {
    const ports = new Ports();
    const manager = new WorkflowManager(ports);
    const first = await manager.initializeWorkflow("w", "main", PLAN);
    expect(await manager.initializeWorkflow("w", "main", PLAN)).toEqual(first);
    expect(ports.types).toEqual(["workflow.started"]);
    expect(ports.repository.refs("refs/heads/workflow/")).toEqual(["refs/heads/workflow/w"]);
  });

  it("CODE-3 finishes an initialisation that a crash interrupted, and announces it once more at most", async () => {
    const ports = new Ports();
    const broken = new WorkflowManager({
      taskBackend: ports.taskBackend,
      vcsPort: ports.vcsPort,
      workflowMergePolicy: ports.workflowMergePolicy,
      eventPort: Object.assign(new MemoryEvents(), { publish: () => Promise.reject(new Error("killed")) }),
    });
    await expect(broken.initializeWorkflow("w", "main", PLAN)).rejects.toThrow("killed");
    await new WorkflowManager(ports).initializeWorkflow("w", "main", PLAN);
    expect(ports.types).toEqual(["workflow.started"]);
  });

  it.each([
    ["../x", "main", "TASK_ID_INVALID"],
    ["w", "nowhere", "BASE_BRANCH_MISSING"],
  ])("CODE-3 creates nothing for the workflow %s on %s", async (id, base, code) => {
    const ports = new Ports();
    await expect(new WorkflowManager(ports).initializeWorkflow(id, base, PLAN)).rejects.toMatchObject({ code });
    expect(ports.calls.filter((call) => call !== "getBranchStatus")).toEqual([]);
  });
});

describe("a workflow without an engine", () => {
  it("CODE-10 pauses, resumes and cancels, with an event for each change", async () => {
    const ports = new Ports();
    const manager = new WorkflowManager(ports);
    await manager.initializeWorkflow("w", "main", PLAN);
    await manager.pauseWorkflow("w");
    await manager.pauseWorkflow("w");
    expect(await manager.getWorkflowStatus("w")).toMatchObject({ state: "paused", tasksDone: 0, tasksAll: 2 });
    await manager.resumeWorkflow("w");
    await manager.cancelWorkflow("w", "not needed");
    await manager.resumeWorkflow("w");
    expect(await manager.getWorkflowStatus("w")).toMatchObject({ state: "cancelled", error: "not needed" });
    expect(ports.types).toEqual(["workflow.started", "workflow.paused", "workflow.resumed", "workflow.failed"]);
    expect(new Set(ports.events.events.map(({ id }) => id)).size).toBe(4);
  });

  it("CODE-5 completes a workflow whose tasks have landed, and cleans up its branch", async () => {
    const ports = new Ports();
    const manager = new WorkflowManager(ports);
    await manager.initializeWorkflow("w", "main", PLAN);
    await expect(manager.completeWorkflow("w")).rejects.toMatchObject({ code: "WORKFLOW_UNFINISHED" });
    await expect(manager.cleanupWorkflow("w")).rejects.toMatchObject({ code: "BRANCH_NOT_LANDED" });
    await ports.completeAll();
    ports.repository.commitOn("workflow/w", { "a.txt": "a" });
    expect(await manager.completeWorkflow("w")).toMatchObject({ success: true });
    expect(await manager.getWorkflowStatus("w")).toMatchObject({ state: "completed", tasksDone: 2 });
    expect(ports.types.at(-1)).toBe("workflow.completed");
    await manager.cleanupWorkflow("w");
    await manager.cleanupWorkflow("w");
    expect(ports.repository.refs("refs/heads/workflow/")).toEqual([]);
    expect(ports.repository.read(ports.repository.resolve("refs/heads/main")!).files.get("a.txt")).toBe("a");
  });

  it("CODE-10 does not know a workflow that was not initialised", async () => {
    await expect(new WorkflowManager(new Ports()).getWorkflowStatus("w")).rejects.toMatchObject({
      code: "TASK_UNKNOWN",
    });
  });
});

describe("the workflow manager of an executor", () => {
  it("CODE-14 commands the engine: it completes and cleans up the workflow that the engine ran", async () => {
    await using test: MemoryExecutor = new MemoryExecutor({ a: writes(() => test, "a.txt", "a") });
    const id = await test.executor.instantiateTemplate(independent("a"), {});
    const running = test.executor.executeWorkflow(id);
    await running;
    const { workflowManager } = test.executor;
    expect(await workflowManager.completeWorkflow(id)).toMatchObject({
      success: true,
      commit: test.repository.resolve("refs/heads/main"),
    });
    expect(await workflowManager.getWorkflowStatus(id)).toMatchObject({
      state: "completed",
      tasksDone: 1,
      tasksAll: 1,
    });
    await workflowManager.cleanupWorkflow(id);
    expect(test.repository.refs("refs/heads/workflow/")).toEqual([]);
  });
});
