// How the engines run tasks: sequentially, or in parallel by level, until the first failure.

import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import {
  createEngine,
  ParallelEngine,
  SequentialEngine,
  WorkflowDefinition,
  type EngineType,
  type TaskFunction,
} from "../../src/engines.ts";
import { HeldTask, openFixture, taskStates, toTask, toWorkflow } from "./fixture.ts";

describe("createEngine", () => {
  it("ENGINES-2 makes either engine, and a parallel one when nothing is said", () => {
    expect(createEngine("sequential")).toBeInstanceOf(SequentialEngine);
    expect(createEngine("parallel")).toBeInstanceOf(ParallelEngine);
    expect(createEngine()).toBeInstanceOf(ParallelEngine);
  });

  it("ENGINES-2 an unknown type is refused by its name", () => {
    const create = (): unknown => createEngine("paralel" as EngineType);
    const message = 'there is no task engine of the type "paralel"; did you mean "parallel"?';
    expect(create).toThrow(expect.objectContaining({ code: "ENGINE_TYPE_UNKNOWN", message }));
    expect(() => createEngine(null as never)).toThrow(expect.objectContaining({ code: "ENGINE_TYPE_UNKNOWN" }));
  });

  it.each([
    [{ maxWorkers: 0 }, "maxWorkers"],
    [{ maxWorkers: 1.5 }, "maxWorkers"],
    [{ maxRetries: -1 }, "maxRetries"],
    [{ grace: -1 }, "grace"],
    [{ file: "a.db", store: "none" as const }, "`store`, `file` and `engine`"],
  ])("ENGINES-2 options that make no sense are refused: %j", (options, named) => {
    const expected = { code: "OPTION_INVALID", message: expect.stringContaining(named) };
    expect(() => createEngine("parallel", options)).toThrow(expect.objectContaining(expected));
  });
});

/** Tasks that record how many others run. */
function crowd(size: number): { readonly workflow: WorkflowDefinition; readonly most: () => number } {
  let [running, most] = [0, 0];
  const action: TaskFunction = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  };
  const tasks = Array.from({ length: size }, (_, place) => [`t${place}`, action] as const);
  return { workflow: toWorkflow(...tasks), most: () => most };
}

describe("workers", () => {
  it.each([
    ["parallel", {}, 4],
    ["parallel", { maxWorkers: 7 }, 7],
    ["parallel", { maxWorkers: 50 }, 20],
    ["sequential", {}, 1],
  ] as const)("ENGINES-2 ENGINES-3 %s %j runs so many of 20 tasks at once: %i", async (type, options, expected) => {
    await using fixture = await openFixture();
    const { workflow, most } = crowd(20);
    const done = fixture.engine(type, options).execute(workflow);
    await fixture.test.untilIdle();
    expect([(await done).success, most()]).toEqual([true, expected]);
  });
});

describe("the level barrier", () => {
  async function listEvents(barrier: boolean): Promise<readonly string[]> {
    await using fixture = await openFixture();
    const story: string[] = [];
    const [slow, last] = [new HeldTask("slow", story), new HeldTask("last", story)];
    last.release();
    const workflow = toWorkflow(["quick"], ["slow", slow.action], ["last", last.action, { dependencies: ["quick"] }]);
    const quick = new WorkflowDefinition();
    for (const { name, action, dependencies } of workflow.tasks)
      quick.addTask(name, action ?? (() => 1), { dependencies });
    const done = fixture.engine("parallel", { barrier }).execute(quick);
    await fixture.test.untilIdle();
    slow.release();
    await fixture.test.untilIdle();
    await done;
    return story;
  }

  it("ruling 15 a level begins when the one before it has ended", async () => {
    expect(await listEvents(true)).toEqual(["slow begins", "slow ends", "last begins", "last ends"]);
  });

  it("ruling 15 without it a task begins when its own dependencies have ended", async () => {
    expect(await listEvents(false)).toEqual(["slow begins", "last begins", "last ends", "slow ends"]);
  });

  it("ENGINES-7 it is a step a level that does nothing, and a level of one task needs none", async () => {
    await using fixture = await openFixture();
    const nothing = (): number => 1;
    const workflow = toWorkflow(
      ["a", nothing],
      ["b", nothing],
      ["c", nothing, { dependencies: ["a"] }],
      ["d", nothing, { dependencies: ["c"] }],
    );
    const handle = fixture.engine().executeAsync(workflow);
    await fixture.test.untilIdle();
    const { steps } = await (await handle.execution()).status();
    expect(steps.map(({ name, attempts }) => [name, attempts])).toEqual([
      ["a", 1],
      ["b", 1],
      ["c", 1],
      ["d", 1],
      ["_level-0", 0],
    ]);
    expect((await handle.result()).tasks.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
  });
});

describe("the first failure", () => {
  it("ENGINES-3 stops the sequential engine: what comes behind is never begun", async () => {
    await using fixture = await openFixture();
    const ran: string[] = [];
    const note = (name: string) => () => void ran.push(name);
    const fails = (): never => {
      throw new Error("no");
    };
    const done = fixture.engine("sequential").execute(toWorkflow(["a", note("a")], ["b", fails], ["c", note("c")]));
    await fixture.test.untilIdle();
    expect(taskStates(await done)).toEqual({ a: "COMPLETED", b: "FAILED", c: "CANCELLED" });
    expect(ran).toEqual(["a"]);
  });

  it("ENGINES-3 lets nobody go ahead while a task of the sequential engine waits for its next attempt", async () => {
    await using fixture = await openFixture();
    const ran: string[] = [];
    const fails = (): never => {
      ran.push("a");
      throw new Error("no");
    };
    const workflow = toWorkflow(["a", fails, { retries: 1, retryDelay: 5 }], ["b", () => void ran.push("b")]);
    const done = fixture.engine("sequential").execute(workflow);
    await fixture.test.untilIdle();
    expect(ran).toEqual(["a"]);
    await fixture.test.advance("5s");
    expect(taskStates(await done)).toEqual({ a: "FAILED", b: "CANCELLED" });
    expect(ran).toEqual(["a", "a"]);
  });

  it("ENGINES-3 cancels the rest of the parallel engine: what runs is told, what waits is never begun", async () => {
    await using fixture = await openFixture();
    let told: unknown;
    const listens: TaskFunction = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          told = signal.aborted;
          reject(new Error("stopped"));
        });
      });
    const fails = async (): Promise<never> => {
      throw new Error("no");
    };
    const tasks = toWorkflow(["a", listens], ["b", fails], ["c", () => 1], ["d", () => 1, { dependencies: ["a"] }]);
    const done = fixture.engine("parallel", { maxWorkers: 2 }).execute(tasks);
    await fixture.test.untilIdle();
    expect(taskStates(await done)).toEqual({ a: "CANCELLED", b: "FAILED", c: "CANCELLED", d: "CANCELLED" });
    expect(told).toBe(true);
  });

  it("ENGINES-3 a task that does not listen is given up after its grace", async () => {
    await using fixture = await openFixture();
    const never = (): Promise<never> => new Promise(() => undefined);
    const fails = async (): Promise<never> => {
      throw new Error("no");
    };
    const handle = fixture.engine("parallel", { grace: 2 }).executeAsync(toWorkflow(["a", never], ["b", fails]));
    await fixture.test.advance("1s");
    expect(await handle.state()).toBe("RUNNING");
    await fixture.test.advance("1s");
    expect(taskStates(await handle.result())).toEqual({ a: "CANCELLED", b: "FAILED" });
  });
});

describe("any workflow", () => {
  const graphs = fc.integer({ min: 1, max: 10 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      edges: fc
        .array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 20 })
        .map((pairs) => pairs.filter(([to, from]) => from < to)),
    }),
  );
  const modes = fc.constantFrom(["sequential", {}], ["parallel", {}], ["parallel", { barrier: false }] as const);

  it("ENGINES-3 ENGINES-4 runs every task once, behind its dependencies, which are in its context", async () => {
    await fc.assert(
      fc.asyncProperty(graphs, modes, async ({ size, edges }, [type, options]) => {
        await using fixture = await openFixture();
        const ended: string[] = [];
        const workflow = new WorkflowDefinition();
        for (let task = 0; task < size; task++) {
          const dependencies = edges.filter(([to]) => to === task).map(([, from]) => `t${from}`);
          const action: TaskFunction = async (context) => {
            for (const name of dependencies) expect(context[name]).toBe(`from ${name}`);
            await Promise.resolve();
            ended.push(`t${task}`);
            return `from t${task}`;
          };
          workflow.addTask(`t${task}`, action, { dependencies });
        }
        const done = fixture.engine(type, options).execute(workflow);
        await fixture.test.untilIdle();
        const result = await done;
        expect([result.error, ended.toSorted()]).toEqual([null, workflow.tasks.map(({ name }) => name).toSorted()]);
        const order = workflow.getExecutionOrder().flat();
        if (type === "sequential") expect(ended).toEqual(order.map(({ name }) => name));
        expect(toTask(result, "t0").output).toBe("from t0");
      }),
      { numRuns: 60 },
    );
  });
});
