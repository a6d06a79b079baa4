// The contract of the task backend: every implementation passes it.

import { describe, expect, it } from "vitest";
import type { CodeTask, NewTask } from "../../src/model/task.ts";
import { CLAIM_LEASE_MS } from "../../src/tasks/claim-lease.ts";
import type { RecordedBackendOptions } from "../../src/tasks/recorded-backend.ts";
import type { TaskBackend } from "../../src/tasks/task-backend.ts";

/** A backend in which the workflows `w` and `v` can have tasks. */
export interface TaskBackendSubject extends AsyncDisposable {
  readonly tasks: TaskBackend;
  /** The same tasks, as another process has them. */
  readonly elsewhere: TaskBackend;
}

export type OpenTaskBackend = (options?: RecordedBackendOptions) => Promise<TaskBackendSubject>;

export function subjectOf(tasks: TaskBackend, elsewhere: TaskBackend = tasks): TaskBackendSubject {
  return { tasks, elsewhere, async [Symbol.asyncDispose]() {} };
}

/** A task of the workflow `w`. Ids begin with the workflow, as Segno makes them. */
export function newTask(name: string, dependencies: readonly string[] = []): NewTask {
  return { id: `w-${name}`, workflowId: "w", dependencies: dependencies.map((other) => `w-${other}`) };
}

const ids = (tasks: readonly CodeTask[]): readonly string[] => tasks.map(({ id }) => id);

export function describeTaskBackend(name: string, open: OpenTaskBackend): void {
  describe(`tasks in ${name}`, () => describeTasks(open));
  describe(`claims of tasks in ${name}`, () => describeClaims(open));
  describe(`ends of tasks in ${name}`, () => describeEnds(open));
  describe(`dependencies of tasks in ${name}`, () => describeDependencies(open));
}

function describeTasks(open: OpenTaskBackend): void {
  it("CODE-1 are created once, with defaults", async () => {
    await using subject = await open();
    const { tasks, elsewhere } = subject;
    const first = await tasks.createTask({ ...newTask("a"), title: "A" });
    const defaults = { status: "open", priority: 0, type: "task", dependencies: [], blockedTasks: [] };
    expect(first).toMatchObject({ id: "w-a", workflowId: "w", title: "A", ...defaults });
    expect(await tasks.createTask({ ...newTask("a"), title: "B" })).toEqual(first);
    expect(await elsewhere.createTask({ ...newTask("a"), title: "C" })).toEqual(first);
    expect(await elsewhere.getTask("w-a")).toEqual(first);
    expect(await tasks.getTask("w-b")).toBeUndefined();
    expect(await tasks.getTask("nothing")).toBeUndefined();
  });

  it("CODE-1 have all fields of a task, as they were given", async () => {
    await using subject = await open();
    const fields: Partial<NewTask> = {
      instructions: "do ${ it }",
      acceptanceCriteria: ["one", "two"],
      type: "fix",
      priority: 3,
      deadline: "2030-01-01T00:00:00.000Z",
      context: { files: ["a.ts"] },
      agent: "other",
      checks: ["npm test"],
      touches: ["src/**"],
      exclusive: true,
    };
    await subject.tasks.createTask({ ...newTask("a"), ...fields });
    expect(await subject.elsewhere.getTask("w-a")).toMatchObject(fields);
  });

  it("CODE-1 are changed, and the other fields stay", async () => {
    await using subject = await open();
    const { tasks, elsewhere } = subject;
    const before = await tasks.createTask({ ...newTask("a"), title: "A", instructions: "do it" });
    const changes = { title: "B", priority: 2, context: { why: "asked" } };
    expect(await tasks.updateTask("w-a", changes)).toEqual({ ...before, ...changes });
    expect(await tasks.updateTask("w-a", changes)).toEqual({ ...before, ...changes });
    expect(await elsewhere.getTask("w-a")).toEqual({ ...before, ...changes });
    expect((await tasks.updateTask("w-a", { status: "in_progress" })).status).toBe("in_progress");
    expect(await tasks.findReadyTasks("w")).toEqual([]);
  });

  it("CODE-1 are ready when all their dependencies are completed, in the order of their creation", async () => {
    await using subject = await open();
    const { tasks } = subject;
    for (const task of [newTask("a"), newTask("b", ["a"]), newTask("c", ["a", "b"]), newTask("aa")])
      await tasks.createTask(task);
    await tasks.createTask({ id: "v-other", workflowId: "v" });
    const ready = async (): Promise<readonly string[]> => ids(await tasks.findReadyTasks("w"));
    expect(await ready()).toEqual(["w-a", "w-aa"]);
    expect((await tasks.getTask("w-a"))!.blockedTasks).toEqual(["w-b", "w-c"]);
    await tasks.claimTask("w-a", "e1");
    expect(await ready()).toEqual(["w-aa"]);
    await tasks.completeTask("w-a", { success: true });
    expect(await ready()).toEqual(["w-b", "w-aa"]);
    expect(ids(await tasks.findReadyTasks("v"))).toEqual(["v-other"]);
  });
}

function describeClaims(open: OpenTaskBackend): void {
  it("CODE-1 are given to one executor, which may ask again", async () => {
    await using subject = await open();
    const { tasks, elsewhere } = subject;
    await tasks.createTask(newTask("a"));
    const backends = { e1: tasks, e2: elsewhere, e3: tasks };
    const claimAll = (): Promise<boolean[]> =>
      Promise.all(Object.entries(backends).map(([executor, backend]) => backend.claimTask("w-a", executor)));
    const answers = await claimAll();
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await claimAll()).toEqual(answers);
    const owner = Object.keys(backends)[answers.indexOf(true)];
    expect(await elsewhere.getTask("w-a")).toMatchObject({ status: "in_progress", claimedBy: owner });
    await tasks.completeTask("w-a", { success: true });
    expect(await claimAll()).toEqual([false, false, false]);
  });

  it("LEASE-3 LEASE-4 are free again when the owner has not renewed them for too long", async () => {
    let now = 1000;
    await using subject = await open({ now: () => now });
    const { tasks } = subject;
    await tasks.createTask(newTask("a"));
    await tasks.claimTask("w-a", "e1");
    now += CLAIM_LEASE_MS - 1;
    expect([await tasks.claimTask("w-a", "e2"), await tasks.claimTask("w-a", "e1")]).toEqual([false, true]);
    now += CLAIM_LEASE_MS - 1;
    expect(await tasks.claimTask("w-a", "e2")).toBe(false);
    now += 1;
    expect([await tasks.claimTask("w-a", "e2"), await tasks.claimTask("w-a", "e1")]).toEqual([true, false]);
  });

  it("CODE-1 of a failed task are given to its owner only", async () => {
    await using subject = await open();
    const { tasks } = subject;
    await tasks.createTask(newTask("a"));
    await tasks.claimTask("w-a", "e1");
    await tasks.failTask("w-a", "no");
    expect([await tasks.claimTask("w-a", "e2"), await tasks.claimTask("w-a", "e1")]).toEqual([false, true]);
  });
}

function describeEnds(open: OpenTaskBackend): void {
  it("CODE-1 stay completed when a failure is reported late, and reports may be repeated", async () => {
    await using subject = await open();
    const { tasks, elsewhere } = subject;
    await tasks.createTask(newTask("a"));
    await tasks.completeTask("w-a", { success: true, commit: "1" });
    await tasks.completeTask("w-a", { success: true, commit: "2" });
    await elsewhere.failTask("w-a", "late");
    expect(await tasks.getTask("w-a")).toMatchObject({ status: "completed", result: { commit: "1" } });
  });

  it("CODE-1 that are failures name the error, and a later success counts", async () => {
    await using subject = await open();
    const { tasks } = subject;
    await tasks.createTask(newTask("a"));
    await tasks.failTask("w-a", "no");
    await tasks.failTask("w-a", "again");
    expect(await tasks.getTask("w-a")).toMatchObject({ status: "failed", error: "no" });
    await tasks.completeTask("w-a", { success: true });
    expect(await tasks.getTask("w-a")).toMatchObject({ status: "completed" });
  });

  it("CODE-1 and claims and changes of tasks that do not exist are refused", async () => {
    await using subject = await open();
    const { tasks } = subject;
    const refused = { code: "TASK_UNKNOWN" };
    for (const id of ["x", "w-x"]) {
      await expect(tasks.claimTask(id, "e")).rejects.toMatchObject(refused);
      await expect(tasks.updateTask(id, { title: "y" })).rejects.toMatchObject(refused);
      await expect(tasks.addDependency(id, "w-y")).rejects.toMatchObject(refused);
      await expect(tasks.completeTask(id, { success: true })).rejects.toMatchObject(refused);
      await expect(tasks.failTask(id, "no")).rejects.toMatchObject(refused);
    }
  });
}

function describeDependencies(open: OpenTaskBackend): void {
  it("GRAPH-2 are refused if they would close a cycle, which is named", async () => {
    await using subject = await open();
    const { tasks } = subject;
    for (const task of [newTask("a"), newTask("b", ["a"]), newTask("c", ["b"])]) await tasks.createTask(task);
    await expect(tasks.addDependency("w-a", "w-c")).rejects.toMatchObject({
      code: "TASK_CYCLE",
      message: "the tasks would wait for each other: w-a -> w-c -> w-b -> w-a",
    });
    await expect(tasks.addDependency("w-a", "w-a")).rejects.toMatchObject({ code: "TASK_CYCLE" });
    await expect(tasks.createTask(newTask("d", ["d"]))).rejects.toMatchObject({ code: "TASK_CYCLE" });
    await expect(tasks.addDependency("w-a", "w-ghost")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    await tasks.addDependency("w-c", "w-a");
    await tasks.addDependency("w-c", "w-a");
    expect((await tasks.getTask("w-c"))!.dependencies).toEqual(["w-b", "w-a"]);
    expect((await tasks.getTask("w-a"))!).toMatchObject({ dependencies: [], blockedTasks: ["w-b", "w-c"] });
  });

  it("GRAPH-2 that two processes add at the same time do not close a cycle together", async () => {
    await using subject = await open();
    const { tasks, elsewhere } = subject;
    for (const name of ["a", "b"]) await tasks.createTask(newTask(name));
    const outcomes = await Promise.allSettled([
      tasks.addDependency("w-a", "w-b"),
      elsewhere.addDependency("w-b", "w-a"),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "TASK_CYCLE" } });
  });
}
