// Workflow results, refusals, logs, handles and cancellation.

import { describe, expect, it } from "vitest";
import { Engine } from "../../src/index.ts";
import { createEngine, TaskState, WorkflowDefinition, type TaskFunction } from "../../src/engines.ts";
import { recordedLogger, throwingLogger } from "@segno/engine/testing";
import { openFixture, taskStates, toWorkflow } from "./fixture.ts";

const fails: TaskFunction = () => {
  throw new Error("the disk is full");
};

/** The expected error of the workflow. */
const IN_A = "the task `a` failed: the disk is full";

describe("results", () => {
  it("ENGINES-6 ruling 39 a workflow that completes has success, its tasks as they were added, and its context", async () => {
    await using engine = createEngine("sequential");
    const workflow = new WorkflowDefinition("sums");
    const sum = workflow.addTask("sum", (context) => Number(context["a"]) + Number(context["b"]), {
      dependencies: ["b"],
    });
    const b = workflow.addTask("b", () => 2);
    const result = await engine.execute(workflow, { a: 1 });
    expect(result).toMatchObject({ success: true, state: "COMPLETED", error: null, code: null });
    const times = { startedAt: expect.any(Number), completedAt: expect.any(Number), durationMs: expect.any(Number) };
    const rest = { state: TaskState.COMPLETED, error: null, attempts: 1, ...times };
    expect(result.tasks).toEqual([
      { id: sum, name: "sum", output: 3, ...rest },
      { id: b, name: "b", output: 2, ...rest },
    ]);
    expect({ ...result.context }).toEqual({ a: 1, b: 2, sum: 3, [b]: 2, [sum]: 3 });
    expect(Object.isFrozen(result) && Object.isFrozen(result.tasks) && Object.isFrozen(result.tasks[0])).toBe(true);
  });

  it("ENGINES-6 an error is in the task's result, and its message in the workflow's", async () => {
    await using engine = createEngine("parallel", { logger: recordedLogger() });
    const result = await engine.execute(toWorkflow(["a", fails]));
    expect(result).toMatchObject({ success: false, state: "FAILED", error: IN_A, code: "Error" });
    expect(result.tasks[0]).toMatchObject({ state: "FAILED", error: { code: "Error", message: "the disk is full" } });
    expect(result.executionId).toEqual(expect.any(String));
  });

  it("ENGINES-6 the error names the task that failed, also one whose name is no id", async () => {
    await using engine = createEngine("parallel", { logger: recordedLogger() });
    const result = await engine.execute(toWorkflow(["fine", () => 1], ["load the data!", fails]));
    expect(result.error).toBe("the task `load the data!` failed: the disk is full");
  });

  it("ENGINES-1 a workflow without tasks completes, and one that grew is run with what it has now", async () => {
    await using engine = createEngine();
    const workflow = new WorkflowDefinition();
    expect(await engine.execute(workflow)).toMatchObject({ success: true, tasks: [] });
    workflow.addTask("a", () => 1);
    expect(taskStates(await engine.execute(workflow))).toEqual({ a: "COMPLETED" });
    expect(taskStates(await engine.execute(workflow))).toEqual({ a: "COMPLETED" });
  });

  it("ENGINES-6 many executions at once do not lose each other's results, also where nothing is kept", async () => {
    await using engine = createEngine();
    const workflow = toWorkflow(["a", (context) => context["n"]]);
    const results = await Promise.all(Array.from({ length: 3000 }, (_, n) => engine.execute(workflow, { n })));
    expect(results.map(({ tasks }) => tasks[0]!.output)).toEqual(results.map((_, n) => n));
  });

  it("ENGINES-3 a task may execute a workflow on the engine that runs it", async () => {
    await using engine = createEngine("sequential");
    const inner = toWorkflow(["inner", () => 1]);
    const result = await engine.execute(toWorkflow(["outer", async () => (await engine.execute(inner)).success]));
    expect(result.tasks[0]?.output).toBe(true);
  });
});

describe("refusals", () => {
  const cyclic = toWorkflow(["a", fails, { dependencies: ["b"] }], ["b", fails, { dependencies: ["a"] }]);
  const ambiguous = toWorkflow(["a", fails], ["a", fails], ["b", fails, { dependencies: ["a"] }]);

  it.each([
    ["TASK_CYCLE", cyclic, {}],
    ["TASK_UNKNOWN", toWorkflow(["a", fails, { dependencies: ["b"] }]), {}],
    ["TASK_AMBIGUOUS", ambiguous, {}],
    ["INPUT_INVALID", toWorkflow(["a", fails]), { n: Number.NaN }],
    ["INPUT_INVALID", toWorkflow(["a", fails]), [1]],
    ["INPUT_INVALID", toWorkflow(["a", fails]), null],
    ["VALUE_TOO_LARGE", toWorkflow(["a", fails]), { text: "x".repeat(10_485_761) }],
  ])("ruling 14 ENGINES-6 %s: nothing begins, and the result says so", async (code, workflow, context) => {
    const logger = recordedLogger();
    await using engine = createEngine("parallel", { logger });
    const result = await engine.execute(workflow, context as never);
    expect(result).toMatchObject({ success: false, state: "FAILED", code, executionId: null });
    expect(new Set(result.tasks.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(new Set(["PENDING 0"]));
    expect(logger.lines.filter(({ level }) => level === "error")).toMatchObject([
      { message: result.error, fields: { code } },
    ]);
  });

  it("ENGINES-6 a handle of a refused workflow says so too", async () => {
    await using engine = createEngine("parallel", { logger: recordedLogger() });
    const handle = engine.executeAsync(cyclic);
    await handle.cancel();
    expect([await handle.state(), (await handle.result()).code]).toEqual(["FAILED", "TASK_CYCLE"]);
    await expect(handle.execution()).rejects.toMatchObject({ code: "TASK_CYCLE" });
  });

  it("ENGINES-6 what is wrong with the engine itself rejects", async () => {
    const engine = createEngine();
    await engine.close();
    await expect(engine.execute(toWorkflow(["a", fails]))).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
    // The result of this one is never read, which causes no unhandled rejection.
    engine.executeAsync(toWorkflow(["a", fails]));
  });
});

describe("logs", () => {
  it("ENGINES-6 a failure is logged before the result is there, by an engine of its own and on another's", async () => {
    const line = {
      level: "error",
      message: "the disk is full",
      fields: { workflow: "sample", task: "a", code: "Error" },
    };
    const [own, other] = [recordedLogger(), recordedLogger()];
    await using engine = createEngine("parallel", { logger: own });
    await engine.execute(toWorkflow(["a", fails], ["b", () => 1]));
    expect(own.lines.filter(({ level }) => level === "error")).toMatchObject([line]);
    await using lent = await Engine.open({ store: "none" });
    await createEngine("parallel", { engine: lent, logger: other }).execute(toWorkflow(["a", fails]));
    expect(other.lines).toMatchObject([line]);
  });

  it.each([0, 2])("ENGINES-6 one failure is one error line, whenever it is written: retries %i", async (retries) => {
    const logger = recordedLogger();
    const engine = createEngine("sequential", { logger });
    await engine.execute(toWorkflow(["a", fails, { retries, retryDelay: 0 }], ["b", () => 1]));
    await engine.close();
    expect(logger.lines.map(({ message }) => message)).toContain("execution.failed");
    expect(logger.lines.filter(({ level }) => level === "error")).toMatchObject([{ message: "the disk is full" }]);
  });

  it("ENGINES-6 a logger that throws harms nobody", async () => {
    await using engine = createEngine("parallel", { logger: throwingLogger() });
    expect(await engine.execute(toWorkflow(["a", fails]))).toMatchObject({ error: IN_A });
    expect(await engine.execute(toWorkflow(["a", fails, { dependencies: ["b"] }]))).toMatchObject({
      code: "TASK_UNKNOWN",
    });
  });
});

describe("a handle", () => {
  it("ENGINES-6 ruling 39 is there at once, and follows the workflow to its end", async () => {
    await using fixture = await openFixture();
    const { promise, resolve } = Promise.withResolvers<number>();
    const handle = fixture.engine().executeAsync(toWorkflow(["a", () => promise]));
    await fixture.test.untilIdle();
    expect(await handle.state()).toBe("RUNNING");
    resolve(1);
    await fixture.test.untilIdle();
    expect([await handle.state(), (await handle.result()).success]).toEqual(["COMPLETED", true]);
  });

  it("ENGINES-6 cancels: what runs is told, what waits never begins, and the result says why", async () => {
    await using fixture = await openFixture();
    const listens: TaskFunction = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    const handle = fixture.engine().executeAsync(toWorkflow(["a", listens], ["b", () => 1, { dependencies: ["a"] }]));
    await fixture.test.untilIdle();
    const cancelled = handle.cancel("nobody needs it");
    await fixture.test.untilIdle();
    await cancelled;
    const result = await handle.result();
    expect(result).toMatchObject({ success: false, state: "CANCELLED", error: "nobody needs it" });
    expect([result.code, taskStates(result)]).toEqual(["EXECUTION_CANCELLED", { a: "CANCELLED", b: "CANCELLED" }]);
    await handle.cancel("again");
    expect(await handle.state()).toBe("CANCELLED");
  });
});
