import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import type { StepMergeRequest } from "../../src/merging/merge-policies.ts";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import type { MergeResult } from "../../src/model/merge-result.ts";
import type { CodeTask } from "../../src/model/task.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { independent, template, writes } from "./memory-scripts.ts";

const CHAIN = template(
  "name: chain\ntasks:\n  - { id: a, instructions: a }\n  - { id: b, instructions: b, dependsOn: [a] }\n",
);

const workers = (test: MemoryExecutor): readonly string[] => test.agents.requests.map(({ taskId }) => taskId);

/** A backend that lets tasks wait for each other: `x` for `y`, and `y` for `x`. */
class CyclicBackend extends MemoryTaskBackend {
  override async getTask(taskId: string): Promise<CodeTask | undefined> {
    const found = await super.getTask(taskId);
    const other = ({ x: "y", y: "x" } as Readonly<Record<string, string>>)[taskId];
    return found === undefined || other === undefined ? found : { ...found, dependencies: [other] };
  }
}

describe("tasks that appear in the backend while a workflow runs", () => {
  it("CODE-1 become steps, with their dependencies, before the workflow lands", async () => {
    const add: AgentScript = async ({ request: { workflowId } }) => {
      const task = (id: string, dependencies: readonly string[]): Promise<unknown> =>
        test.backend.createTask({ id, workflowId, dependencies, title: `New \${ id }`, instructions: `do ${id}` });
      await task("extra", [`${workflowId}-a`]);
      await task(`${workflowId}-more`, ["extra"]);
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({
      a: add,
      extra: writes(() => test, "extra.txt", "extra"),
      more: writes(() => test, "more.txt", "more"),
    });
    const id = await test.executor.instantiateTemplate(CHAIN, {}, "w1");
    const result = await test.executor.executeWorkflow(id);
    expect(result.completedTasks).toEqual(["a", "b", "extra", "more"]);
    expect(workers(test)).toEqual(["a", "b", "extra", "more"]);
    expect([...test.repository.read(test.repository.resolve("refs/heads/main")!).files.keys()]).toEqual([
      "extra.txt",
      "more.txt",
    ]);
    expect((await test.backend.getTask("extra"))!.status).toBe("completed");
    expect(test.agents.requests.at(-1)!.context).toMatchObject({
      title: "New ${ id }",
      instructions: "do w1-more",
      artefacts: { extra: { changedFiles: ["extra.txt"] } },
    });
    expect(await test.executor.getWorkflowStatus(id)).toMatchObject({ tasksDone: 4, tasksAll: 4 });
    const types = (task: string): readonly string[] =>
      test.events.events.filter(({ taskId }) => taskId === task).map(({ type }) => type);
    expect(types("more")).toEqual(types("b"));
    expect(types("more")).toContain("task.scheduled");
  });

  it("CODE-1 are found again and again until there are none", async () => {
    const next: AgentScript = async ({ request: { workflowId, taskId } }) => {
      const number = Number(taskId.slice(1));
      if (number < 4) await test.backend.createTask({ id: `t${number + 1}`, workflowId });
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ t1: next, t2: next, t3: next, t4: next });
    const id = await test.executor.instantiateTemplate(independent("t1"), {});
    expect((await test.executor.executeWorkflow(id)).completedTasks).toEqual(["t1", "t2", "t3", "t4"]);
  });
});

describe("a task that appears in the backend", () => {
  it("CODE-1 has its own agent and its own checks", async () => {
    const seen: (readonly string[])[] = [];
    class Policy extends AutoMergePolicy {
      override async mergeStep(request: StepMergeRequest): Promise<MergeResult> {
        if (request.task.id === "extra") seen.push(request.task.checks ?? []);
        return await super.mergeStep({ ...request, check: async () => ({ kind: "passed" }) });
      }
    }
    const add: AgentScript = async ({ request: { workflowId } }) => {
      await test.backend.createTask({ id: "extra", workflowId, agent: "other", checks: ["npm test"] });
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor(
      { a: add, extra: writes(() => test, "extra.txt", "extra") },
      { ports: { stepMergePolicy: new Policy() } },
    );
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("a"), {}));
    expect(test.agents.requests.at(-1)).toMatchObject({ taskId: "extra", agent: "other" });
    expect(seen).toEqual([["npm test"]]);
  });

  it.each([
    ["touches the files of another one", { touches: ["src/**"] }],
    ["is exclusive", { exclusive: true }],
  ])("CODE-1 runs beside none that it must not if it %s", async (_, fields) => {
    let atWork = 0;
    let most = 0;
    const count: AgentScript = async () => {
      most = Math.max(most, ++atWork);
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      atWork--;
      return undefined;
    };
    const add: AgentScript = async ({ request: { workflowId } }) => {
      for (const id of ["x", "y", "z"]) await test.backend.createTask({ id, workflowId, ...fields });
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ a: add, x: count, y: count, z: count });
    const id = await test.executor.instantiateTemplate(independent("a"), {});
    expect((await test.executor.executeWorkflow(id)).completedTasks).toEqual(["a", "x", "y", "z"]);
    expect(most).toBe(1);
  });
});

describe("tasks that can never run", () => {
  it.each([
    ["cannot be part of a branch name", "Bad Id", "TASK_ID_INVALID"],
    ["is the name of another task", "a", "TASK_ID_INVALID"],
  ])("CODE-1 fail the workflow if their id %s", async (_, bad, code) => {
    const add: AgentScript = async ({ request: { workflowId } }) => {
      await test.backend.createTask({ id: bad, workflowId });
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ a: add });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({ code });
  });

  it("CODE-1 that wait for each other end the workflow, and the error names the cycle", async () => {
    const backend = new CyclicBackend();
    const add: AgentScript = async ({ request: { workflowId } }) => {
      for (const id of ["x", "y"]) await backend.createTask({ id, workflowId, dependencies: [`${workflowId}-a`] });
      await backend.claimTask("x", "nobody");
      await backend.claimTask("y", "nobody");
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ a: add }, { ports: { taskBackend: backend } });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({
      code: "WORKFLOW_DEADLOCKED",
      message: expect.stringMatching(/x -> y -> x|y -> x -> y/u) as string,
    });
  });

  it("CODE-1 that wait for a task that does not exist end the workflow with its name", async () => {
    const add: AgentScript = async ({ request: { workflowId } }) => {
      await test.backend.createTask({ id: "x", workflowId, dependencies: [`${workflowId}-a`, "ghost"] });
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({ a: add });
    const id = await test.executor.instantiateTemplate(CHAIN, {});
    await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({
      code: "WORKFLOW_DEADLOCKED",
      message: expect.stringContaining("`ghost`") as string,
    });
  });
});

describe("a new task", () => {
  it("CODE-1 that would close a cycle is refused", async () => {
    const backend = new MemoryTaskBackend();
    await backend.createTask({ id: "a", workflowId: "w", dependencies: ["b"] });
    await expect(backend.createTask({ id: "b", workflowId: "w", dependencies: ["a"] })).rejects.toMatchObject({
      code: "TASK_CYCLE",
    });
    await expect(backend.createTask({ id: "c", workflowId: "w", dependencies: ["c"] })).rejects.toThrow("c -> c");
  });
});
