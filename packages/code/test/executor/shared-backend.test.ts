import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "@segno/engine";
import { afterAll, describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { CLAIM_LEASE_MS } from "../../src/tasks/claim-lease.ts";
import { FileTaskBackend } from "../../src/tasks/file-tasks.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { SkippedTime } from "../project/skipped-time.ts";
import { Gate, independent, until, writes } from "./memory-scripts.ts";
import { recorded } from "./recorded-ports.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-backends-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const workers = (test: MemoryExecutor): readonly string[] => test.agents.requests.map(({ taskId }) => taskId);

/** Skips the time for which an executor waits because the other one has the task. */
async function whileSkipping<Result>(
  work: Promise<Result>,
  time: SkippedTime,
  engines: readonly Engine[],
): Promise<Result> {
  let isOver = false;
  const finished = work.finally(() => {
    isOver = true;
  });
  const isWaiting = async (engine: Engine): Promise<boolean> => {
    // The execution may not have started yet.
    const handle = await engine.get("shared").catch(() => undefined);
    return (await handle?.status())?.steps.some(({ status }) => status === "retrying") === true;
  };
  await until(async () => {
    for (const engine of engines) if (!isOver && (await isWaiting(engine))) time.skip(CLAIM_LEASE_MS);
    return isOver;
  });
  return await finished;
}

describe("two executors on one backend", () => {
  it("CODE-1 never run one task twice, and both finish", async () => {
    const tasks = ["a", "b", "c", "d", "e"];
    const file = join(folder, "shared.jsonl");
    const gate = new Gate();
    const script = (test: () => MemoryExecutor, id: string): AgentScript => {
      const write = writes(test, `${id}.txt`, id);
      return async (agent) => {
        if (id === "a") await gate.script(agent);
        return await write(agent);
      };
    };
    const time = new SkippedTime();
    await using left = await Engine.open({ store: "none", environment: time.environment() });
    await using right = await Engine.open({ store: "none", environment: time.environment() });
    const open = (engine: Engine, shared?: MemoryExecutor): MemoryExecutor => {
      const test: MemoryExecutor = new MemoryExecutor(
        Object.fromEntries(tasks.map((id) => [id, script(() => shared ?? test, id)])),
        {
          engine,
          ports: {
            taskBackend: new FileTaskBackend(file),
            ...(shared === undefined ? {} : { workspacePort: shared.workspaces, vcsPort: shared.vcs }),
          },
        },
      );
      return test;
    };
    await using one = open(left);
    await using two = open(right, one);
    const finished = Promise.all(
      [one, two]
        .map(async ({ executor }) =>
          executor.executeWorkflow(await executor.instantiateTemplate(independent(...tasks), {}, "shared")),
        )
        .map(async (run, index) => {
          if (index === 0) {
            await gate.begun;
            gate.open();
          }
          return await run;
        }),
    );
    const running = await whileSkipping(finished, time, [left, right]);
    expect(running.map(({ completedTasks }) => completedTasks)).toEqual([tasks, tasks]);
    expect([...workers(one), ...workers(two)].toSorted()).toEqual(tasks);
    const of = (type: string): readonly (string | undefined)[] =>
      [...one.events.events, ...two.events.events].filter((event) => event.type === type).map(({ taskId }) => taskId);
    for (const type of ["task.claimed", "task.started", "session.created", "session.completed", "task.completed"])
      expect(new Set(of(type))).toEqual(new Set(tasks));
    for (const type of ["task.claimed", "session.created", "task.completed"])
      expect(of(type)).toHaveLength(tasks.length);
    const counted = [one, two].map(({ executor }) => executor.metrics());
    expect(counted.reduce((sum, { tasks_completed }) => sum + tasks_completed, 0)).toBe(tasks.length);
    expect([...one.repository.read(one.repository.resolve("refs/heads/main")!).files.keys()]).toEqual(
      tasks.map((id) => `${id}.txt`),
    );
  });
});

describe("the claims of an executor", () => {
  it("CODE-1 come before the session, and the status is written after the landing", async () => {
    const calls: string[] = [];
    await using test: MemoryExecutor = new MemoryExecutor(
      {
        a: () => {
          calls.push("agent");
          return undefined;
        },
      },
      { ports: { taskBackend: recorded(new MemoryTaskBackend(), calls) } },
    );
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("a"), {}));
    expect(calls.filter((call) => ["claimTask", "agent", "completeTask"].includes(call))).toEqual([
      "claimTask",
      // The session makes sure that the claim was not lost since.
      "claimTask",
      "agent",
      "completeTask",
      // The record of the workflow.
      "completeTask",
    ]);
  });

  it("CODE-1 are refused for a task that failed in another executor", async () => {
    await using test: MemoryExecutor = new MemoryExecutor();
    const id = await test.executor.instantiateTemplate(independent("a"), {}, "w");
    await test.backend.createTask({ id: "w-a", workflowId: "w" });
    await test.backend.claimTask("w-a", "another");
    await test.backend.failTask("w-a", "no disk");
    await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({
      code: "TASK_CLAIMED",
      message: expect.stringContaining("no disk") as string,
    });
    expect(workers(test)).toEqual([]);
  });

  it("CODE-10 stay with its executions when it is opened again", async () => {
    const file = join(folder, "claims.db");
    const backend = new MemoryTaskBackend();
    const claims: string[] = [];
    const claim = backend.claimTask.bind(backend);
    backend.claimTask = (task, by) => {
      claims.push(by);
      return claim(task, by);
    };
    const gate = new Gate();
    const engine = await Engine.open({ file });
    const first: MemoryExecutor = new MemoryExecutor({ a: gate.script }, { engine, ports: { taskBackend: backend } });
    const id = await first.executor.instantiateTemplate(independent("a"), {});
    const running = first.executor.executeWorkflow(id).catch(() => undefined);
    await gate.begun;
    await engine.close({ drainMs: 0 });
    gate.open();
    await running;
    await using again = await Engine.open({ file });
    await using second: MemoryExecutor = new MemoryExecutor(
      {},
      {
        engine: again,
        ports: { taskBackend: backend, workspacePort: first.workspaces, vcsPort: first.vcs },
      },
    );
    expect((await second.executor.executeWorkflow(id)).completedTasks).toEqual(["a"]);
    expect(new Set(claims).size).toBe(1);
  });
});
