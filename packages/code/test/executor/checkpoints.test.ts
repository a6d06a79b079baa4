import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "@segno/engine";
import { MemoryStore } from "@segno/engine/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryAgents } from "../../src/agents/memory-agents.ts";
import { CheckpointManager } from "../../src/executor/checkpoint-manager.ts";
import { WorkflowExecutor } from "../../src/executor/workflow-executor.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { Gate, template } from "./memory-scripts.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-checkpoints-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CHAIN = template(
  "name: chain\ntasks:\n  - { id: a, instructions: a }\n  - { id: b, instructions: b, dependsOn: [a] }\n",
);

describe("an executor that gets its ports alone", () => {
  const before = process.cwd();
  const working = mkdtempSync(join(tmpdir(), "segno-working-"));
  beforeAll(() => process.chdir(working));
  afterAll(() => {
    process.chdir(before);
    rmSync(working, { recursive: true, force: true });
  });

  it("CODE-10 JOURNAL-3 has its journal in the working folder, and saves a checkpoint of a running workflow", async () => {
    const gate = new Gate();
    const { ports } = new MemoryExecutor({ b: gate.script });
    const first = new WorkflowExecutor(ports);
    const id = await first.instantiateTemplate(CHAIN, {});
    const running = first.executeWorkflow(id).catch(() => undefined);
    await gate.begun;
    const checkpoints = new CheckpointManager();
    const state = await checkpoints.restoreCheckpoint(await checkpoints.saveCheckpoint(first));
    expect(state).toMatchObject({ workflowId: id, completedTasks: ["a"] });
    expect(readdirSync(join(working, ".segno"))).toContain("segno.db");
    // A second one would run steps with the ports of the first.
    await expect(new WorkflowExecutor(ports).executeWorkflow(id)).rejects.toMatchObject({ code: "JOURNAL_IN_USE" });
    gate.open();
    await running;
    await first.close();

    await using second = new WorkflowExecutor({ ...ports, agentExecutor: new MemoryAgents() });
    expect((await second.executeWorkflow(id)).completedTasks).toEqual(["a", "b"]);
  });

  it("CODE-10 without a journal has no checkpoints, and says so", async () => {
    await using test = new MemoryExecutor();
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    await test.executor.executeWorkflow(id);
    await expect(new CheckpointManager().saveCheckpoint(test.executor)).rejects.toMatchObject({
      code: "CONFIGURATION_INVALID",
    });
  });
});

describe("a checkpoint", () => {
  it("CODE-10 names the completed tasks and the sessions at work, and is restored into another engine", async () => {
    const gate = new Gate();
    const engine = await Engine.open({ store: new MemoryStore() });
    const first = new MemoryExecutor({ b: gate.script }, { engine });
    const id = await first.executor.instantiateTemplate(CHAIN, {});
    const running = first.executor.executeWorkflow(id).catch(() => undefined);
    await gate.begun;
    const checkpoints = new CheckpointManager(join(folder, "deep"));
    const checkpoint = await checkpoints.saveCheckpoint(first.executor);
    const state = await checkpoints.restoreCheckpoint(checkpoint);
    expect(state).toMatchObject({ workflowId: id, completedTasks: ["a"], activeSessions: [`${id}-b-1`] });
    expect(state.timestamp).toBeLessThanOrEqual(Date.now());
    await engine.close({ drainMs: 0 });
    gate.open();
    await running;

    await using other = await Engine.open({ store: new MemoryStore() });
    const { backend: taskBackend, workspaces: workspacePort, vcs: vcsPort } = first;
    await using second = new MemoryExecutor({}, { engine: other, ports: { taskBackend, workspacePort, vcsPort } });
    expect(await checkpoints.restoreCheckpoint(checkpoint, second.executor)).toEqual(state);
    expect((await second.executor.executeWorkflow(id)).completedTasks).toEqual(["a", "b"]);
    expect(second.agents.requests.map(({ taskId }) => taskId)).toEqual(["b"]);
  });

  it("CODE-10 that is saved twice at once has two ids, and leaves no half behind", async () => {
    await using engine = await Engine.open({ store: new MemoryStore() });
    await using test = new MemoryExecutor({}, { engine });
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(CHAIN, {}));
    const checkpoints = new CheckpointManager(join(folder, "twice"));
    const ids = [await checkpoints.saveCheckpoint(test.executor), await checkpoints.saveCheckpoint(test.executor)];
    expect(new Set(ids).size).toBe(2);
    expect(readdirSync(join(folder, "twice")).toSorted()).toEqual(ids.toSorted());
  });

  it.each(["checkpoint-1", "../twice", "."])("CODE-10 %s does not exist", async (id) => {
    await expect(new CheckpointManager(folder).restoreCheckpoint(id)).rejects.toMatchObject({
      code: "CHECKPOINT_MISSING",
    });
  });

  it("CODE-10 needs a workflow", async () => {
    await using test = new MemoryExecutor();
    await expect(new CheckpointManager(folder).saveCheckpoint(test.executor)).rejects.toMatchObject({
      code: "CHECKPOINT_MISSING",
    });
  });
});
