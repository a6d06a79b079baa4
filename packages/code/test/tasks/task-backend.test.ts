import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { FileTaskBackend } from "../../src/tasks/file-tasks.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import type { TaskBackend } from "../../src/tasks/task-backend.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-tasks-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `deep/tasks-${files++}.jsonl`);

const BACKENDS: readonly (readonly [string, () => TaskBackend])[] = [
  ["memory", () => new MemoryTaskBackend()],
  ["a file", () => new FileTaskBackend(newFile())],
];

const inWorkflow = (id: string, dependencies: readonly string[] = []): Parameters<TaskBackend["createTask"]>[0] => ({
  id,
  workflowId: "w",
  dependencies,
});

describe.each(BACKENDS)("tasks in %s", (_, create) => {
  it("CODE-1 are created once, with defaults", async () => {
    const tasks = create();
    const first = await tasks.createTask({ ...inWorkflow("a"), title: "A" });
    expect(first).toMatchObject({
      id: "a",
      title: "A",
      status: "open",
      priority: 0,
      dependencies: [],
      blockedTasks: [],
    });
    expect(await tasks.createTask({ ...inWorkflow("a"), title: "B" })).toEqual(first);
    expect(await tasks.getTask("b")).toBeUndefined();
  });

  it("CODE-1 are ready when all their dependencies are completed", async () => {
    const tasks = create();
    for (const task of [inWorkflow("a"), inWorkflow("b", ["a"]), inWorkflow("c", ["a", "b"])])
      await tasks.createTask(task);
    await tasks.createTask({ id: "other", workflowId: "v" });
    const ready = async (): Promise<readonly string[]> => (await tasks.findReadyTasks("w")).map(({ id }) => id);
    expect(await ready()).toEqual(["a"]);
    expect((await tasks.getTask("a"))!.blockedTasks).toEqual(["b", "c"]);
    await tasks.claimTask("a", "e1");
    expect(await ready()).toEqual([]);
    await tasks.completeTask("a", { success: true });
    expect(await ready()).toEqual(["b"]);
  });

  it("CODE-1 are claimed by one executor, which may ask again", async () => {
    const tasks = create();
    await tasks.createTask(inWorkflow("a"));
    const claimAll = (): Promise<boolean[]> =>
      Promise.all(["e1", "e2", "e3"].map((each) => tasks.claimTask("a", each)));
    const answers = await claimAll();
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await claimAll()).toEqual(answers);
    await tasks.completeTask("a", { success: true });
    expect(await claimAll()).toEqual([false, false, false]);
  });

  it("CODE-1 stay completed when a failure is reported late, and reports may be repeated", async () => {
    const tasks = create();
    await tasks.createTask(inWorkflow("a"));
    await tasks.completeTask("a", { success: true, commit: "1" });
    await tasks.completeTask("a", { success: true, commit: "2" });
    await tasks.failTask("a", "late");
    expect(await tasks.getTask("a")).toMatchObject({ status: "completed", result: { commit: "1" } });
  });
});

describe.each(BACKENDS)("dependencies of tasks in %s", (_, create) => {
  it("GRAPH-2 are refused if they would close a cycle, which is named", async () => {
    const tasks = create();
    for (const task of [inWorkflow("a"), inWorkflow("b", ["a"]), inWorkflow("c", ["b"])]) await tasks.createTask(task);
    await expect(tasks.addDependency("a", "c")).rejects.toMatchObject({
      code: "TASK_CYCLE",
      message: "the tasks would wait for each other: a -> c -> b -> a",
    });
    await expect(tasks.addDependency("a", "a")).rejects.toMatchObject({ code: "TASK_CYCLE" });
    await tasks.addDependency("c", "a");
    await tasks.addDependency("c", "a");
    expect((await tasks.getTask("c"))!.dependencies).toEqual(["b", "a"]);
  });

  it("CODE-1 and claims of tasks that do not exist are refused", async () => {
    const tasks = create();
    await expect(tasks.claimTask("x", "e")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    await expect(tasks.updateTask("x", { title: "y" })).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
    await expect(tasks.addDependency("x", "y")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
  });
});

describe("the file of tasks", () => {
  it("CODE-1 is the same for another process, and half a line at its end is cut off", async () => {
    const file = newFile();
    await new FileTaskBackend(file).createTask(inWorkflow("a"));
    appendFileSync(file, '{"kind":"completed","id":"a');
    const other = new FileTaskBackend(file);
    expect(await other.getTask("a")).toMatchObject({ status: "open" });
    await other.failTask("a", "no");
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(3);
    expect(await new FileTaskBackend(file).getTask("a")).toMatchObject({ status: "failed", error: "no" });
  });

  it.each(["not json", "null", "5", '{"kind":"created"}', '{"kind":"failed"}', '{"kind":"other","id":"a"}'])(
    "CODE-1 that has the line %s is an error that names the line",
    async (line) => {
      const file = newFile();
      await new FileTaskBackend(file).createTask(inWorkflow("a"));
      appendFileSync(file, `${line}\n`);
      await expect(new FileTaskBackend(file).getTask("a")).rejects.toMatchObject({
        code: "TASK_FILE_INVALID",
        message: expect.stringContaining("line 2") as string,
      });
    },
  );

  it("CODE-1 gives each task to one of several processes", async () => {
    const file = newFile();
    const tasks = new FileTaskBackend(file);
    const ids = Array.from({ length: 10 }, (_, index) => `t${index}`);
    for (const id of ids) await tasks.createTask(inWorkflow(id));
    const program = `
      const { FileTaskBackend } = await import(${JSON.stringify(new URL("../../src/tasks/file-tasks.ts", import.meta.url).href)});
      const tasks = new FileTaskBackend(${JSON.stringify(file)});
      const got = [];
      for (const id of ${JSON.stringify(ids)}) if (await tasks.claimTask(id, String(process.pid))) got.push(id);
      console.log(JSON.stringify(got));
    `;
    const run = promisify(execFile);
    const answers = await Promise.all(
      [1, 2, 3].map(() => run(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })),
    );
    const claimed = answers.flatMap(({ stdout }) => JSON.parse(stdout) as string[]);
    expect(claimed.toSorted()).toEqual(ids);
  });
});
