import { setImmediate } from "node:timers/promises";
import { Engine } from "@segno/engine";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../../src/config/executor-config.ts";
import { AdaptiveScheduler } from "../../src/scheduling/adaptive-scheduler.ts";
import { codeStrategy } from "../../src/scheduling/code-strategy.ts";
import { SessionClock } from "../../src/steps/session-clock.ts";
import { toCodeTask } from "../../src/steps/backend-task.ts";
import { SkippedTime } from "../project/skipped-time.ts";
import { MemoryExecutor, quick } from "./memory-executor.ts";
import { independent, until } from "./memory-scripts.ts";

const TIMEOUT_MS = 1000;

function timed(): ExecutorConfig {
  const config = quick(EXECUTOR_DEFAULTS);
  return {
    ...config,
    retry: { ...config.retry, maxAttempts: 1 },
    scheduling: { ...config.scheduling, taskTimeoutMs: TIMEOUT_MS },
  };
}

describe("the time of a task", () => {
  it("CODE-10 begins when its agent gets a place, and a session that waits for one is not active", async () => {
    const time = new SkippedTime();
    const engineStrategy = codeStrategy();
    await using engine = await Engine.open({
      store: "none",
      environment: time.environment(),
      strategy: engineStrategy,
    });
    await using test = new MemoryExecutor({}, { config: timed(), engine, engineStrategy });
    const { sessionManager, taskScheduler } = test.executor;
    taskScheduler.setSchedulingStrategy(new AdaptiveScheduler({ getAvailable: () => ({ cpu: 0.2 }) }));
    const [other] = independent("other").tasks;
    const root = test.repository.resolve("refs/heads/main")!;
    const { sessionId } = await sessionManager.createSession(toCodeTask("v", other!), root);
    const id = await test.executor.instantiateTemplate(independent("a", "b"), {});
    const running = test.executor.executeWorkflow(id);
    await until(() => test.events.events.filter(({ type }) => type === "session.created").length === 2);
    time.skip(2 * TIMEOUT_MS);
    await setImmediate();
    expect(test.agents.requests).toEqual([]);
    expect(test.executor.metrics().sessions_active).toBe(1);
    await sessionManager.terminateSession(sessionId);
    expect((await running).completedTasks).toEqual(["a", "b"]);
    expect(test.executor.metrics().sessions_active).toBe(0);
  });

  it("CODE-8 ends work that stops with its signal, and the error says so", async () => {
    const after = (ms: number, call: () => void): (() => void) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    };
    const clock = new SessionClock(1, { after });
    const { signal } = new AbortController();
    const work = (limited: AbortSignal): Promise<never> =>
      new Promise((_, reject) => limited.addEventListener("abort", () => reject(new Error("stopped")), { once: true }));
    await expect(clock.limit(signal, work)).rejects.toMatchObject({ type: "agent_timeout" });
  });
});
