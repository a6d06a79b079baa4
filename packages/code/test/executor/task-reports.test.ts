import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "@segno/engine";
import { afterAll, describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../../src/config/executor-config.ts";
import { CLAIM_LEASE_MS } from "../../src/tasks/claim-lease.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { recorded } from "./recorded-ports.ts";
import { MemoryExecutor, quick } from "./memory-executor.ts";
import { SkippedTime } from "../project/skipped-time.ts";
import { Gate, hangs, independent, until, writes } from "./memory-scripts.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-reports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CONFIG = quick(EXECUTOR_DEFAULTS);
const once: ExecutorConfig = { ...CONFIG, retry: { ...CONFIG.retry, maxAttempts: 1 } };

const statusOf = async ({ backend }: MemoryExecutor, id: string): Promise<string> =>
  (await backend.getTask(id))!.status;

describe("the end of a task", () => {
  it("CODE-1 reaches the backend after a timeout, and so does the end of the workflow", async () => {
    const config = { ...once, scheduling: { ...once.scheduling, taskTimeoutMs: 50 } };
    await using test: MemoryExecutor = new MemoryExecutor({ a: hangs() }, { config });
    await test.executor.instantiateTemplate(independent("a"), {}, "w");
    await expect(test.executor.executeWorkflow("w")).rejects.toThrow();
    expect([await statusOf(test, "w-a"), await statusOf(test, "w")]).toEqual(["failed", "failed"]);
  });

  it("CODE-1 reaches the backend after a cancellation; a task that nobody began stays open", async () => {
    const gate = new Gate();
    const config = { ...once, scheduling: { ...once.scheduling, maxParallelTasks: 1 } };
    await using test: MemoryExecutor = new MemoryExecutor({ a: gate.script }, { config });
    await test.executor.instantiateTemplate(independent("a", "b"), {}, "w");
    const running = test.executor.executeWorkflow("w").catch(() => undefined);
    await gate.begun;
    await test.executor.cancelWorkflow("w", "not needed");
    gate.open();
    await running;
    expect(await test.backend.getTask("w-a")).toMatchObject({ status: "failed", error: "not needed" });
    expect([await statusOf(test, "w-b"), await statusOf(test, "w")]).toEqual(["open", "failed"]);
  });

  it("CODE-1 reaches the backend after a refused escalation, while the workflow goes on", async () => {
    const gate = new Gate();
    const config = { ...once, integration: { ...once.integration, autoCreateFixTasks: false } };
    await using engine = await Engine.open({ store: "none" });
    await using test: MemoryExecutor = new MemoryExecutor(
      { left: writes(() => test, "a.txt", "l"), right: writes(() => test, "a.txt", "r"), slow: gate.script },
      { config, engine },
    );
    await test.executor.instantiateTemplate(independent("left", "right", "slow"), {}, "w");
    await expect(test.executor.executeWorkflow("w")).rejects.toMatchObject({ code: "TASK_ESCALATED" });
    const handle = await engine.get("w");
    const question = (await handle.status()).steps.find(({ status }) => status === "suspended")!.name;
    const task = /merge-([^/]+)/u.exec(question)![1]!;
    await handle.reject(question, { by: "someone" });
    await until(async () => (await statusOf(test, `w-${task}`)) === "failed");
    expect(await statusOf(test, "w")).toBe("in_progress");
    gate.open();
    await until(async () => (await statusOf(test, "w")) === "failed");
  });
});

describe("the end of a workflow", () => {
  it("CODE-1 has the landed commit if it completes", async () => {
    await using test: MemoryExecutor = new MemoryExecutor({ a: writes(() => test, "a.txt", "a") });
    await test.executor.instantiateTemplate(independent("a"), {}, "w");
    await test.executor.executeWorkflow("w");
    expect(await test.backend.getTask("w")).toMatchObject({
      status: "completed",
      result: { success: true, commit: test.repository.resolve("refs/heads/main") },
    });
  });

  it("CODE-10 is written by the next process if a crash came first, with the ends of its tasks", async () => {
    const file = join(folder, "crash.db");
    const backend = new MemoryTaskBackend();
    const gate = new Gate();
    const engine = await Engine.open({ file });
    const first = new MemoryExecutor({ a: gate.script }, { engine, config: once, ports: { taskBackend: backend } });
    await first.executor.instantiateTemplate(independent("a"), {}, "w");
    const running = first.executor.executeWorkflow("w").catch(() => undefined);
    await gate.begun;
    // Nothing is written from now on, as after a kill.
    backend.failTask = () => new Promise(() => undefined);
    await (await engine.get("w")).cancel();
    await until(async () => (await (await engine.get("w")).status()).status === "cancelled");
    await engine.close();
    gate.open();
    expect((await backend.getTask("w-a"))!.status).toBe("in_progress");
    Reflect.deleteProperty(backend, "failTask");

    await using again = await Engine.open({ file });
    await using second = new MemoryExecutor({}, { engine: again, ports: { taskBackend: backend } });
    await second.executor.getWorkflowStatus("w");
    await until(async () => (await backend.getTask("w"))!.status === "failed");
    expect((await backend.getTask("w-a"))!.status).toBe("failed");
    void running;
  });
});

/** Waits until a step of `w` waits for its next attempt. */
async function untilRetrying(engine: Engine): Promise<void> {
  const steps = async (): Promise<readonly string[]> =>
    (await (await engine.get("w")).status()).steps.map(({ status }) => status);
  await until(async () => (await steps()).includes("retrying"));
}

describe("a claim", () => {
  it("LEASE-3 of an executor that has ended expires, and another executor finishes the task", async () => {
    let now = 1_000_000;
    const backend = new MemoryTaskBackend({ now: () => now });
    const gate = new Gate();
    const engine = await Engine.open({ store: "none" });
    const first: MemoryExecutor = new MemoryExecutor({ a: gate.script }, { engine, ports: { taskBackend: backend } });
    await first.executor.instantiateTemplate(independent("a"), {}, "w");
    const lost = first.executor.executeWorkflow("w").catch(() => undefined);
    await gate.begun;
    await first.executor.close();
    await engine.close({ drainMs: 0 });
    gate.open();
    await lost;
    const calls: string[] = [];
    const time = new SkippedTime();
    await using other = await Engine.open({ store: "none", environment: time.environment() });
    await using second: MemoryExecutor = new MemoryExecutor(
      {},
      {
        engine: other,
        ports: { taskBackend: recorded(backend, calls), workspacePort: first.workspaces, vcsPort: first.vcs },
      },
    );
    await second.executor.instantiateTemplate(independent("a"), {}, "w");
    const finished = second.executor.executeWorkflow("w");
    // An executor that is refused asks for the state of the task.
    await until(() => calls.indexOf("getTask", calls.indexOf("claimTask")) > calls.indexOf("claimTask"));
    expect(second.agents.requests).toEqual([]);
    // The step waits outside: no session has a place.
    expect(second.executor.sessionManager.getActiveSessionCount()).toBe(0);
    await untilRetrying(other);
    now += CLAIM_LEASE_MS;
    time.skip(CLAIM_LEASE_MS);
    expect((await finished).completedTasks).toEqual(["a"]);
    expect(second.agents.requests.map(({ taskId }) => taskId)).toEqual(["a"]);
  });
});

describe("a claim", () => {
  it("LEASE-3 is renewed while its executor lives", async () => {
    let now = 1_000_000;
    const backend = new MemoryTaskBackend({ now: () => now });
    const gate = new Gate();
    await using test = new MemoryExecutor({ a: gate.script }, { claimRenewalMs: 5, ports: { taskBackend: backend } });
    await test.executor.instantiateTemplate(independent("a"), {}, "w");
    const running = test.executor.executeWorkflow("w");
    await gate.begun;
    now += CLAIM_LEASE_MS - 1;
    await until(async () => (await backend.getTask("w-a"))!.claimedUntil === now + CLAIM_LEASE_MS);
    now += 1;
    expect(await backend.claimTask("w-a", "another")).toBe(false);
    gate.open();
    await running;
  });

  it("LEASE-3 that was lost ends the session, and the work of the other executor counts", async () => {
    let now = 1_000_000;
    const backend = new MemoryTaskBackend({ now: () => now });
    const begun = Promise.withResolvers<void>();
    const time = new SkippedTime();
    await using engine = await Engine.open({ store: "none", environment: time.environment() });
    await using test = new MemoryExecutor(
      { a: hangs(() => begun.resolve()) },
      { engine, claimRenewalMs: 5, ports: { taskBackend: backend } },
    );
    await test.executor.instantiateTemplate(independent("a"), {}, "w");
    const running = test.executor.executeWorkflow("w");
    await begun.promise;
    // The process was suspended for a while.
    const claim = backend.claimTask.bind(backend);
    now += CLAIM_LEASE_MS;
    expect(await claim("w-a", "another")).toBe(true);
    await until(() => test.events.events.some(({ type }) => type === "session.terminated"));
    await untilRetrying(engine);
    await backend.completeTask("w-a", { success: true });
    time.skip(CLAIM_LEASE_MS);
    expect((await running).completedTasks).toEqual(["a"]);
    expect(test.agents.requests).toHaveLength(1);
  });
});
