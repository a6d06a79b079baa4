import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import type { SegnoError } from "@segno/kernel";
import { WorkflowDefinition } from "./workflow-definition.ts";
import type { TaskOptions } from "./task-definition.ts";

const nothing = (): undefined => undefined;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

function makeWorkflow(tasks: Readonly<Record<string, readonly string[]>>): WorkflowDefinition {
  const workflow = new WorkflowDefinition();
  for (const [name, dependencies] of Object.entries(tasks)) workflow.addTask(name, nothing, { dependencies });
  return workflow;
}

function listNames(workflow: WorkflowDefinition, onCycle?: "drop"): readonly (readonly string[])[] {
  const order = workflow.getExecutionOrder(onCycle === undefined ? {} : { onCycle });
  return order.map((batch) => batch.map(({ name }) => name));
}

function refusal(work: () => unknown): Pick<SegnoError, "code" | "message"> {
  try {
    work();
  } catch (error) {
    const { code, message } = error as SegnoError;
    return { code, message };
  }
  throw new Error("nothing was refused");
}

describe("tasks", () => {
  it("ENGINES-1 a task gets an id, a UUID unless it is given one, and is found by id and by name", () => {
    const workflow = new WorkflowDefinition("nightly");
    const [load, save] = [workflow.addTask("load", nothing), workflow.addTask("save", nothing, { id: "task-2" })];
    expect([load, save]).toEqual([expect.stringMatching(UUID), "task-2"]);
    expect([workflow.getTask(load)?.name, workflow.getTask("load")?.id]).toEqual(["load", load]);
    expect([workflow.getTask("task-2")?.name, workflow.getTask("missing")]).toEqual(["save", undefined]);
  });

  it("ENGINES-1 a task is a frozen value with the defaults of the engines", () => {
    const workflow = new WorkflowDefinition();
    const id = workflow.addTask("load", nothing);
    const task = workflow.getTask("load")!;
    const defaults = { dependencies: [], timeout: null, retries: null, retryDelay: 1, condition: null };
    expect(task).toEqual({ id, name: "load", action: nothing, ...defaults });
    expect(Object.isFrozen(task) && Object.isFrozen(task.dependencies)).toBe(true);
  });

  it("ENGINES-1 what was given may be changed afterwards without changing the task", () => {
    const dependencies: string[] = [];
    const module = { module: "./a.ts" };
    const workflow = new WorkflowDefinition();
    workflow.addTask("a", module, { dependencies });
    dependencies.push("b");
    module.module = "./b.ts";
    expect(workflow.getTask("a")).toMatchObject({ dependencies: [], action: { module: "./a.ts" } });
  });

  it("ENGINES-1 an id is had by one task only, and goes before a name that reads the same", () => {
    const workflow = new WorkflowDefinition();
    workflow.addTask("first", nothing, { id: "a" });
    workflow.addTask("a", nothing, { id: "b" });
    expect(workflow.getTask("a")?.name).toBe("first");
    expect(refusal(() => workflow.addTask("third", nothing, { id: "a" }))).toMatchObject({
      code: "DEFINITION_INVALID",
    });
    expect(workflow.tasks).toHaveLength(2);
  });
});

describe("the execution order", () => {
  it("ENGINES-1 comes in batches: a task stands behind all that it depends on, otherwise as it was added", () => {
    expect(listNames(makeWorkflow({ d: ["b", "c"], b: ["a"], c: ["a"], a: [], e: [] }))).toEqual([
      ["a", "e"],
      ["b", "c"],
      ["d"],
    ]);
    expect(listNames(new WorkflowDefinition())).toEqual([]);
  });

  it("ENGINES-1 takes ids and names for dependencies, and the same one twice for one", () => {
    const workflow = new WorkflowDefinition();
    const id = workflow.addTask("a", nothing);
    workflow.addTask("b", nothing, { dependencies: [id, "a"] });
    expect(listNames(workflow)).toEqual([["a"], ["b"]]);
  });

  it("ruling 14 refuses cycles, and says which tasks they have", () => {
    const { code, message } = refusal(() => listNames(makeWorkflow({ a: ["c"], b: ["a"], c: ["b"], d: ["d"] })));
    expect(code).toBe("TASK_CYCLE");
    expect(message).toBe("tasks depend on each other in a cycle: `a` -> `b` -> `c` -> `a`; `d` -> `d`");
  });

  it("ruling 14 drops cycles and what waits for them when it is asked to", () => {
    const tasks = {
      free: [],
      a: ["b"],
      b: ["a"],
      behind: ["a", "free"],
      self: ["self"],
      afterSelf: ["self"],
      end: ["free"],
    };
    expect(listNames(makeWorkflow(tasks), "drop")).toEqual([["free"], ["end"]]);
  });

  it("ruling 14 refuses a dependency that there is not, also where cycles are dropped", () => {
    const workflow = makeWorkflow({ load: [], save: ["laod"] });
    const expected = {
      code: "TASK_UNKNOWN",
      message: "the task `save` depends on `laod`, which is not a task of this workflow; did you mean `load`?",
    };
    expect(refusal(() => workflow.getExecutionOrder())).toEqual(expected);
    expect(refusal(() => workflow.getExecutionOrder({ onCycle: "drop" }))).toEqual(expected);
  });

  it("ruling 41 refuses a dependency by a name that two tasks have, naming both ids", () => {
    const workflow = new WorkflowDefinition();
    workflow.addTask("load", nothing, { id: "first" });
    workflow.addTask("load", nothing, { id: "second" });
    expect(listNames(workflow)).toEqual([["load", "load"]]);
    workflow.addTask("save", nothing, { dependencies: ["second"] });
    expect(listNames(workflow)).toEqual([["load", "load"], ["save"]]);
    workflow.addTask("send", nothing, { dependencies: ["load"] });
    const { code, message } = refusal(() => workflow.getExecutionOrder());
    expect(code).toBe("TASK_AMBIGUOUS");
    expect(message).toContain("`first` and `second`");
  });
});

describe("the execution order of any workflow", () => {
  const graphs = fc
    .integer({ min: 1, max: 12 })
    .chain((size) =>
      fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 30 }).map((edges) => ({ size, edges })),
    );

  it("ENGINES-1 has every task in the first batch that it can stand in, unless it waits for itself", () => {
    fc.assert(
      fc.property(graphs, ({ size, edges }) => {
        const workflow = new WorkflowDefinition();
        const dependencies = (task: number): string[] =>
          edges.filter(([to]) => to === task).map(([, from]) => `t${from}`);
        for (let task = 0; task < size; task++)
          workflow.addTask(`t${task}`, nothing, { dependencies: dependencies(task) });
        expect(listNames(workflow, "drop")).toEqual(batchesByHand(size, edges));
      }),
    );
  });
});

/** A naive reference: a task is ready when all its dependencies are in earlier batches. */
function batchesByHand(size: number, edges: readonly (readonly [number, number])[]): readonly (readonly string[])[] {
  const done = new Set<number>();
  const batches: string[][] = [];
  for (;;) {
    const ready = Array.from({ length: size }, (_, task) => task).filter(
      (task) => !done.has(task) && edges.every(([to, from]) => to !== task || done.has(from)),
    );
    if (ready.length === 0) return batches;
    for (const task of ready) done.add(task);
    batches.push(ready.map((task) => `t${task}`));
  }
}

describe("what is no task", () => {
  const bad: readonly (readonly [string, unknown, unknown])[] = [
    ["an action that is a number", 7, {}],
    ["an action without a module", {}, {}],
    ["an export that is no text", { module: "./a.ts", export: 7 }, {}],
    ["dependencies that are no list", nothing, { dependencies: "load" }],
    ["a dependency that is no text", nothing, { dependencies: [7] }],
    ["a timeout of 0", nothing, { timeout: 0 }],
    ["a timeout that is no number", nothing, { timeout: Number.NaN }],
    ["a timeout for ever", nothing, { timeout: Number.POSITIVE_INFINITY }],
    ["half a retry", nothing, { retries: 0.5 }],
    ["negative retries", nothing, { retries: -1 }],
    ["more retries than can be counted", nothing, { retries: 65_535 }],
    ["a negative delay", nothing, { retryDelay: -1 }],
    ["a condition that is a value", nothing, { condition: true }],
    ["an empty id", nothing, { id: "" }],
  ];

  it.each(bad)("ENGINES-1 %s is refused when it is added", (_, action, options) => {
    const workflow = new WorkflowDefinition();
    const add = (): string => workflow.addTask("load", action as never, options as TaskOptions);
    expect(refusal(add)).toMatchObject({ code: "DEFINITION_INVALID", message: expect.stringContaining("`load`") });
    expect(workflow.tasks).toEqual([]);
  });

  it("ENGINES-1 a name that is no text is refused", () => {
    expect(refusal(() => new WorkflowDefinition(7 as never)).code).toBe("DEFINITION_INVALID");
    expect(refusal(() => new WorkflowDefinition().addTask(undefined as never, nothing)).code).toBe(
      "DEFINITION_INVALID",
    );
  });
});
