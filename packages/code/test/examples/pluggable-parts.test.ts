import { describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { toPrompt } from "../../src/agents/prompt.ts";
import type { ErrorResolutionStrategy } from "../../src/model/error-resolution.ts";
import { ErrorHandler } from "../../src/resolution/error-handler.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { TaskScheduler } from "../../src/scheduling/task-scheduler.ts";
import { MemoryExecutor, quick } from "../executor/memory-executor.ts";
import { independent, template, workspaceOf, writes } from "../executor/memory-scripts.ts";
import { DeadlineAwareScheduler } from "./deadline-aware-scheduler.ts";
import { LearnedErrorResolver, type ErrorModel } from "./learned-error-resolver.ts";
import { MergeFailureNotifier, type ChatMessage } from "./merge-failure-notifier.ts";

const ONE_AT_A_TIME = {
  ...quick(EXECUTOR_DEFAULTS),
  scheduling: { ...EXECUTOR_DEFAULTS.scheduling, maxParallelTasks: 1 },
};

describe("a scheduler that knows deadlines", () => {
  it("CODE-14 selects by deadline, dependants and priority", async () => {
    const backend = new MemoryTaskBackend();
    const tasks = [
      await backend.createTask({ id: "calm", workflowId: "w", priority: 20 }),
      await backend.createTask({ id: "urgent", workflowId: "w", deadline: "2026-01-02" }),
      await backend.createTask({ id: "later", workflowId: "w", deadline: "2026-01-09", priority: 9 }),
    ];
    const strategy = new DeadlineAwareScheduler(() => Date.parse("2026-01-01"));
    expect(new TaskScheduler(backend).selectNextTask(tasks, strategy).id).toBe("urgent");
  });

  it("CODE-14 orders the tasks of a running workflow", async () => {
    await using test = new MemoryExecutor({}, { config: ONE_AT_A_TIME });
    test.executor.taskScheduler.setSchedulingStrategy(new DeadlineAwareScheduler());
    const chosen = template(`
name: deadlines
tasks:
  - { id: calm, instructions: calm, priority: 9 }
  - { id: soon, instructions: soon, deadline: 2d }
  - { id: now, instructions: now, deadline: 1h }
`);
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(chosen, {}));
    expect(test.agents.requests.map(({ taskId }) => taskId)).toEqual(["now", "soon", "calm"]);
  });
});

const model: ErrorModel = (pattern) =>
  pattern === "port 0 is taken"
    ? { resolution: { type: "retry", retryDelay: 0 }, confidence: 0.95 }
    : { resolution: { type: "retry", retryDelay: 0 }, confidence: 0.3 };
const escalating = { resolve: (error: Error) => ({ type: "escalate", reason: error.message }) as const };

describe("an error resolver with a model", () => {
  it("CODE-8 follows the model when it is sure, and the other strategy when it is not", async () => {
    const handler = new ErrorHandler({ strategy: new LearnedErrorResolver(model, escalating) });
    const task = { id: "t", workflowId: "w" };
    expect(await handler.handleTaskError(task, new Error("port 8080 is taken"))).toEqual({
      type: "retry",
      retryDelay: 0,
    });
    expect(await handler.handleTaskError(task, new Error("something else"))).toEqual({
      type: "escalate",
      reason: "something else",
    });
  });

  it("CODE-8 is refused if it returns something else than a resolution", async () => {
    const handler = new ErrorHandler({ strategy: { resolve: () => ({ type: "retry" }) as never } });
    await expect(handler.handleTaskError({ id: "t", workflowId: "w" }, new Error("x"))).rejects.toMatchObject({
      code: "RESOLUTION_INVALID",
    });
  });

  it("CODE-8 is refused if it returns a fix task without `task`, or for an error that is not of a merge", async () => {
    const task = { id: "t", workflowId: "w" };
    const bare = new ErrorHandler({ strategy: { resolve: () => ({ type: "fix_task" }) as never } });
    const failed = { success: false, mergeId: "w/t" };
    await expect(bare.handleMergeError(task, failed)).rejects.toMatchObject({ code: "RESOLUTION_INVALID" });
    const handler = new ErrorHandler({ strategy: { resolve: () => ({ type: "fix_task", task }) } });
    expect(await handler.handleMergeError(task, failed)).toEqual({ type: "fix_task", task });
    await expect(handler.handleTaskError(task, new Error("x"))).rejects.toThrow("not of a merge");
  });

  it("CODE-7 CODE-8 tells the agent of a fix what to do by the task that it returns", async () => {
    const fix: AgentScript = ({ request }) => {
      test.workspaces.write(workspaceOf(request.workspacePath), "a.txt", "both");
      return undefined;
    };
    const errorResolution: ErrorResolutionStrategy = {
      resolve: (_, { workflowId }) => ({
        type: "fix_task",
        task: { id: "own", workflowId, title: "Keep both", instructions: "Keep both lines." },
      }),
    };
    await using test: MemoryExecutor = new MemoryExecutor(
      {
        left: writes(() => test, "a.txt", "left"),
        right: writes(() => test, "a.txt", "right"),
        "left.fix1": fix,
        "right.fix1": fix,
      },
      { errorResolution },
    );
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("left", "right"), {}));
    const request = test.agents.requests.find(({ taskId }) => taskId.endsWith(".fix1"))!;
    expect(request.context.fix?.instructions).toBe("Keep both\n\nKeep both lines.");
    expect(toPrompt(request, { context: "c.json", result: "r.json" })).toContain("## The repair\n\nKeep both");
  });
});

describe("an error resolver of a running workflow", () => {
  it("CODE-8 decides in a running workflow", async () => {
    const failing = { kind: "failed", reason: "port 8080 is taken", isLasting: true } as const;
    await using test = new MemoryExecutor(
      { a: [() => failing, () => undefined] },
      { errorResolution: new LearnedErrorResolver(model, escalating) },
    );
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("a"), {}));
    expect(test.agents.requests.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});

describe("a notifier of failed merges", () => {
  it("EVENT-2 sends one message for each merge that failed", async () => {
    const messages: ChatMessage[] = [];
    const fix: AgentScript = ({ request }) => {
      test.workspaces.write(workspaceOf(request.workspacePath), "a.txt", "both");
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({
      left: writes(() => test, "a.txt", "left"),
      right: writes(() => test, "a.txt", "right"),
      "left.fix1": fix,
      "right.fix1": fix,
    });
    const notifier = new MergeFailureNotifier((message) => void messages.push(message));
    test.events.subscribe({ types: ["merge.failed"] }, notifier);
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("left", "right"), {}));
    expect(messages).toHaveLength(1);
    expect(messages[0]!.text).toMatch(/^Merge failed for task (?:left|right): .*conflicts/u);
    for (const event of test.events.events) await notifier.handle(event);
    expect(messages).toHaveLength(1);
  });
});
