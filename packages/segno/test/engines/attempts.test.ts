// Attempts of tasks: their number, time limits and conditions.

import { describe, expect, it } from "vitest";
import { PermanentError, RetryAfterError } from "@segno/kernel";
import type { ParallelEngineOptions, TaskFunction, TaskOptions, WorkflowResult } from "../../src/engines.ts";
import { openFixture, taskStates, toTask, toWorkflow } from "./fixture.ts";

interface Tried {
  readonly result: WorkflowResult;
  /** The start of each attempt, in milliseconds from the first. */
  readonly times: readonly number[];
}

async function tried(
  action: TaskFunction,
  options: TaskOptions = {},
  engine: ParallelEngineOptions = {},
): Promise<Tried> {
  await using fixture = await openFixture();
  const times: number[] = [];
  const noted: TaskFunction = (context, step) => {
    times.push(fixture.test.now);
    return action(context, step);
  };
  const done = fixture.engine("parallel", engine).execute(toWorkflow(["task", noted, options]));
  await fixture.test.advance("1h");
  return { result: await done, times: times.map((time) => time - times[0]!) };
}

const fails =
  (error: unknown): TaskFunction =>
  () => {
    throw error;
  };

describe("retries", () => {
  it("ENGINES-5 ruling 27 there are none unless they are asked for", async () => {
    const { result, times } = await tried(fails(new Error("no")));
    expect([times, result.success, result.error]).toEqual([[0], false, "the task `task` failed: no"]);
  });

  it("ENGINES-5 ruling 27 come a second apart, and always the same time apart", async () => {
    expect((await tried(fails(new Error("no")), { retries: 3 })).times).toEqual([0, 1000, 2000, 3000]);
    expect((await tried(fails(new Error("no")), { retries: 3, retryDelay: 90 })).times).toEqual([
      0, 90_000, 180_000, 270_000,
    ]);
    expect((await tried(fails(new Error("no")), { retries: 2, retryDelay: 0 })).times).toEqual([0, 0, 0]);
  });

  it.each([
    ["an error that asks for another delay", new RetryAfterError("later", 60_000)],
    ["a cause that does", new Error("busy", { cause: new RetryAfterError("later", 60_000) })],
    ["an error with a field that does", Object.assign(new Error("429"), { status: 429, retryAfterMs: 5 })],
  ])("ENGINES-5 come the same time apart whatever is thrown: %s", async (_, error) => {
    expect((await tried(fails(error), { retries: 3, retryDelay: 2 })).times).toEqual([0, 2000, 4000, 6000]);
  });

  it("ENGINES-5 come the same time apart however many there are", async () => {
    const { times } = await tried(fails(new Error("no")), { retries: 12 });
    expect(times).toEqual(Array.from({ length: 13 }, (_, attempt) => attempt * 1000));
  });

  it.each([
    ["a mistake", new TypeError("x is not a function"), "TypeError", "x is not a function"],
    ["what says that it is permanent", new PermanentError("never"), "PermanentError", "never"],
    ["a refusal by status", Object.assign(new Error("gone"), { status: 404 }), "Error", "gone"],
    ["a text", "just a text", "Error", "just a text"],
    ["nothing at all", undefined, "Error", "undefined"],
    ["what cannot be read", unreadable(), "Error", "the thrown value cannot be read"],
  ])("ENGINES-5 follow any error: %s", async (_, error, code, message) => {
    const { result, times } = await tried(fails(error), { retries: 2 });
    expect(times).toEqual([0, 1000, 2000]);
    expect(toTask(result, "task")).toMatchObject({ state: "FAILED", attempts: 3, error: { code, message } });
  });

  it("ENGINES-5 a rejected promise is an error like any other, and a success ends them", async () => {
    const action: TaskFunction = async (_, { attempt }) => {
      if (attempt < 3) throw new RangeError("not yet");
      return attempt;
    };
    const { result, times } = await tried(action, { retries: 5 });
    expect(times).toEqual([0, 1000, 2000]);
    expect(toTask(result, "task")).toMatchObject({ state: "COMPLETED", output: 3, attempts: 3, error: null });
  });
});

describe("retries", () => {
  it("ENGINES-6 a task's times go from its first attempt to its end; one that was skipped or never came has no start", async () => {
    await using fixture = await openFixture();
    const begin = fixture.test.now;
    const failing: TaskFunction = fails(new Error("no"));
    const workflow = toWorkflow(
      ["skipped", () => 1, { condition: () => false }],
      ["tried", failing, { retries: 2, dependencies: ["skipped"] }],
      ["behind", () => 1, { dependencies: ["tried"] }],
    );
    const done = fixture.engine("sequential").execute(workflow);
    await fixture.test.advance("1m");
    const result = await done;
    const times = { startedAt: begin, completedAt: begin + 2000, durationMs: 2000 };
    expect(result).toMatchObject(times);
    expect(toTask(result, "tried")).toMatchObject(times);
    expect(toTask(result, "skipped")).toMatchObject({ startedAt: null, completedAt: begin, durationMs: null });
    expect(toTask(result, "behind")).toMatchObject({ startedAt: null, completedAt: begin + 2000, durationMs: null });
  });

  it("ENGINES-5 the engine's maxRetries is for tasks that set none", async () => {
    expect((await tried(fails(new Error("no")), {}, { maxRetries: 2 })).times).toHaveLength(3);
    expect((await tried(fails(new Error("no")), { retries: 0 }, { maxRetries: 2 })).times).toHaveLength(1);
    expect((await tried(fails(new Error("no")), { retries: 1 }, { maxRetries: 2 })).times).toHaveLength(2);
  });
});

function unreadable(): unknown {
  const throws = (): never => {
    throw new Error("do not look");
  };
  return new Proxy({}, { get: throws, has: throws, ownKeys: throws, getPrototypeOf: throws });
}

describe("timeouts", () => {
  const never: TaskFunction = () => new Promise(() => undefined);

  it("ENGINES-5 bound an attempt that never settles, also one that ignores its signal", async () => {
    const { result } = await tried(never, { timeout: 1.5 });
    const error = { class: "timeout", code: "ATTEMPT_TIMEOUT", message: "the attempt took longer than 1500 ms" };
    expect([result.success, toTask(result, "task").error]).toEqual([false, error]);
  });

  it("ENGINES-5 FAIL-4 bound each attempt by itself; one that does not listen has its grace before the next", async () => {
    const { result, times } = await tried(never, { timeout: 2, retries: 2, retryDelay: 3 });
    expect([times, toTask(result, "task").attempts]).toEqual([[0, 10_000, 20_000], 3]);
  });

  it("ENGINES-5 what comes after them counts for nothing", async () => {
    await using fixture = await openFixture();
    const { promise, resolve } = Promise.withResolvers<string>();
    const late: TaskFunction = () => promise;
    const done = fixture.engine().execute(toWorkflow(["late", late, { timeout: 1 }]));
    await fixture.test.advance("1s");
    resolve("too late");
    await fixture.test.untilIdle();
    expect(toTask(await done, "late")).toMatchObject({ state: "FAILED", output: null });
  });
});

describe("conditions", () => {
  it("ENGINES-5 a false one skips, and the tasks behind run", async () => {
    await using fixture = await openFixture();
    const workflow = toWorkflow(
      ["a", () => 1, { condition: (context) => context["wanted"] === true }],
      ["b", () => 2, { dependencies: ["a"] }],
      ["c", () => 3, { condition: async () => false }],
    );
    const done = fixture.engine("sequential").execute(workflow, { wanted: false });
    await fixture.test.untilIdle();
    const result = await done;
    expect([result.success, taskStates(result)]).toEqual([true, { a: "SKIPPED", b: "COMPLETED", c: "SKIPPED" }]);
  });

  it("ENGINES-5 a true one runs the task, and is asked once however often the task is tried", async () => {
    let asked = 0;
    const condition = (): boolean => ++asked > 0;
    const { result } = await tried(fails(new Error("no")), { condition, retries: 2 });
    expect([asked, toTask(result, "task").attempts]).toEqual([1, 3]);
  });

  it.each([0, 2])(
    "ruling 42 one that throws fails the task with that error, without another try: retries %i",
    async (retries) => {
      const condition = (): never => {
        throw new Error("the condition is broken");
      };
      const { result, times } = await tried(() => 1, { condition, retries });
      expect(times).toEqual([]);
      expect(result).toMatchObject({ success: false, error: "the task `task` failed: the condition is broken" });
      expect(toTask(result, "task")).toMatchObject({ state: "FAILED", attempts: 1 });
    },
  );

  it.each([
    ["a mistake", new RangeError("too far"), "RangeError", "too far"],
    ["what would be tried again", Object.assign(new Error("reset"), { code: "ECONNRESET" }), "ECONNRESET", "reset"],
    ["a text", "just a text", "Error", "just a text"],
  ])(
    "ruling 42 one that throws keeps its own error, with retries and without: %s",
    async (_, thrown, code, message) => {
      const condition = (): never => {
        throw thrown;
      };
      for (const retries of [0, 3]) {
        const { result, times } = await tried(() => 1, { condition, retries });
        expect([times, result.code]).toEqual([[], code]);
        expect(toTask(result, "task")).toMatchObject({ error: { code, message }, attempts: 1 });
        expect(toTask(result, "task").error).not.toHaveProperty("cause");
      }
    },
  );

  it("ENGINES-5 a task that was skipped was never tried", async () => {
    const { result } = await tried(() => 1, { condition: () => false, retries: 2 });
    expect(toTask(result, "task")).toMatchObject({ state: "SKIPPED", attempts: 0, output: null, error: null });
  });
});

describe("a task without an action", () => {
  it.each([null, undefined])("ENGINES-5 fails, and is not tried again: %s", async (action) => {
    await using fixture = await openFixture();
    const done = fixture.engine("sequential", { maxRetries: 3 }).execute(toWorkflow(["a", action], ["b", () => 1]));
    await fixture.test.untilIdle();
    const result = await done;
    expect(result).toMatchObject({ success: false, code: "TASK_WITHOUT_ACTION", error: "the task `a` has no action" });
    expect([taskStates(result), toTask(result, "a").attempts]).toEqual([{ a: "FAILED", b: "CANCELLED" }, 1]);
  });
});

describe("what an action returns", () => {
  it.each([
    ["a function", () => () => 1],
    ["a set", () => new Set()],
    ["a number that is none", () => ({ n: Number.NaN })],
    ["a cycle", () => cycle()],
    ["what throws when it is read", () => ({ list: [unreadable()] })],
  ])("ENGINES-6 fails the task where it is not JSON: %s", async (_, action) => {
    const { result } = await tried(action);
    expect(toTask(result, "task")).toMatchObject({ state: "FAILED", output: null, error: { code: "OUTPUT_NOT_JSON" } });
  });
});

function cycle(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}
