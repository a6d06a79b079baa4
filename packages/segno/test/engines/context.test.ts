// The context of a task: the initial context and earlier outputs, read-only.

import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { WorkflowDefinition, type TaskContext, type TaskFunction } from "../../src/engines.ts";
import { openFixture, taskStates, toTask, toWorkflow, type Task } from "./fixture.ts";

type Kept = Readonly<Record<string, TaskContext>>;

/** Runs tasks that each record a copy of their context, and output their own name. */
async function readContexts(
  names: Readonly<Record<string, readonly string[]>>,
  mode: readonly ["sequential" | "parallel", { readonly barrier?: boolean }],
): Promise<Kept> {
  await using fixture = await openFixture();
  const kept: Record<string, TaskContext> = {};
  const tasks = Object.entries(names).map(([name, dependencies]): Task => {
    const action: TaskFunction = (context) => {
      kept[name] = { ...context };
      return name.toUpperCase();
    };
    return [name, action, { id: `id-${name}`, dependencies }];
  });
  const done = fixture.engine(...mode).execute(toWorkflow(...tasks), { given: 1 });
  await fixture.test.untilIdle();
  expect((await done).error).toBeNull();
  return kept;
}

const GRAPH = { a: [], b: [], c: ["a"], d: ["c"] };
const [a, b, c] = ["a", "b", "c"].map((name) => ({ [name]: name.toUpperCase(), [`id-${name}`]: name.toUpperCase() }));
const given = { given: 1 };

describe("the accumulated context", () => {
  it("ENGINES-4 has what was given and all that came before, under id and name, one after the other", async () => {
    expect(await readContexts(GRAPH, ["sequential", {}])).toEqual({
      a: given,
      b: { ...given, ...a },
      c: { ...given, ...a, ...b },
      d: { ...given, ...a, ...b, ...c },
    });
  });

  it("ENGINES-4 has the levels before, side by side", async () => {
    const all = { ...given, ...a, ...b };
    const expected = { a: given, b: given, c: all, d: { ...all, ...c } };
    expect(await readContexts(GRAPH, ["parallel", {}])).toEqual(expected);
  });

  it("ENGINES-4 has what a task waits for, over any number of dependencies, without a barrier", async () => {
    const expected = { a: given, b: given, c: { ...given, ...a }, d: { ...given, ...a, ...c } };
    expect(await readContexts(GRAPH, ["parallel", { barrier: false }])).toEqual(expected);
  });

  it("ENGINES-4 is the same in a later attempt, whatever has ended meanwhile", async () => {
    await using fixture = await openFixture();
    const seen: (readonly string[])[] = [];
    const action: TaskFunction = (context, { attempt }) => {
      seen.push(Object.keys(context));
      if (attempt === 1) throw new Error("again");
    };
    const done = fixture.engine().execute(toWorkflow(["a", action, { retries: 1 }], ["b", () => 1]));
    await fixture.test.advance("1s");
    expect([(await done).success, seen]).toEqual([true, [[], []]]);
  });

  it("ENGINES-4 hides what has ended already and stands beside the task or behind it", async () => {
    await using fixture = await openFixture();
    const other: TaskFunction = (context) => [context["a"] ?? "hidden", "a" in context];
    const done = fixture.engine("parallel", { maxWorkers: 1 }).execute(toWorkflow(["a", () => 1], ["b", other]), {});
    await fixture.test.untilIdle();
    expect(toTask(await done, "b").output).toEqual(["hidden", false]);
  });

  it("ENGINES-4 an output goes before what was given, and the last of several with one name counts", async () => {
    await using fixture = await openFixture();
    const workflow = new WorkflowDefinition();
    workflow.addTask("twin", () => 1, { id: "first" });
    workflow.addTask("twin", () => 2, { id: "second" });
    workflow.addTask("end", (context) => [context["twin"]!, context["first"]!, context["second"]!], {
      dependencies: ["first", "second"],
    });
    const done = fixture.engine().execute(workflow, { twin: 0 });
    await fixture.test.untilIdle();
    expect(toTask(await done, "end").output).toEqual([2, 1, 2]);
  });

  it("ENGINES-4 a task that returns nothing leaves null, and one that is skipped leaves nothing", async () => {
    await using fixture = await openFixture();
    const workflow = toWorkflow(
      ["empty", () => undefined, { id: "1" }],
      ["skipped", () => 1, { id: "2", condition: () => false }],
      ["end", (context) => Object.keys(context), { id: "3", dependencies: ["empty", "skipped"] }],
    );
    const done = fixture.engine().execute(workflow);
    await fixture.test.untilIdle();
    const result = await done;
    expect(taskStates(result)).toEqual({ empty: "COMPLETED", skipped: "SKIPPED", end: "COMPLETED" });
    expect(toTask(result, "end").output).toEqual(["1", "empty"]);
    expect({ ...result.context }).toEqual({ 1: null, empty: null, 3: ["1", "empty"], end: ["1", "empty"] });
  });
});

/** The context that an action sees after an earlier task tried to change its own. */
async function after(deed: (context: Record<string, unknown>) => unknown): Promise<TaskContext> {
  await using fixture = await openFixture();
  let seen: TaskContext = {};
  const workflow = toWorkflow(
    ["first", () => ({ list: [1] }), { id: "1" }],
    ["bad", (context) => void deed(context), { id: "2", dependencies: ["first"], condition: () => true }],
    ["last", (context) => void (seen = { ...context }), { id: "3", dependencies: ["bad"] }],
  );
  const initial = { given: { deep: [1] } };
  const done = fixture.engine("sequential").execute(workflow, initial);
  await fixture.test.untilIdle();
  const { error } = await done;
  expect(initial).toEqual({ given: { deep: [1] } });
  return error === null ? seen : { error };
}

describe("a context", () => {
  it.each([
    ["writing", (context: Record<string, unknown>) => (context["first"] = 2)],
    ["adding", (context: Record<string, unknown>) => (context["new"] = 2)],
    ["deleting", (context: Record<string, unknown>) => delete context["first"]],
    ["defining", (context: Record<string, unknown>) => Object.defineProperty(context, "first", { value: 2 })],
    ["a prototype", (context: Record<string, unknown>) => Object.setPrototypeOf(context, { new: 2 })],
    ["freezing", (context: Record<string, unknown>) => Object.freeze(context)],
    ["a list in it", (context: Record<string, unknown>) => (context["first"] as { list: number[] }).list.push(2)],
    ["what was given", (context: Record<string, unknown>) => (context["given"] as { deep: number[] }).deep.push(2)],
  ])("ENGINES-4 cannot be changed by a task: %s fails it", async (_, deed) => {
    expect(await after(deed)).toEqual({ error: expect.stringMatching(/./u) });
  });

  it("ENGINES-4 may be copied and the copy changed, which nobody else sees", async () => {
    const first = { list: [1] };
    const seen = await after((context) => Object.assign({ ...context }, { first: 2 }));
    expect(seen).toEqual({ given: { deep: [1] }, first, 1: first, bad: null, 2: null });
  });

  it("ENGINES-4 behaves like an object: keys, in, JSON, spreading and showing", async () => {
    await using fixture = await openFixture();
    const workflow = toWorkflow(["first", () => 1, { id: "x" }]);
    const done = fixture.engine().execute(workflow, { given: "y" });
    await fixture.test.untilIdle();
    const { context } = await done;
    const plain = { given: "y", x: 1, first: 1 };
    expect([Object.keys(context), "x" in context, "z" in context]).toEqual([["given", "x", "first"], true, false]);
    expect([JSON.parse(JSON.stringify(context)), { ...context }, inspect(context)]).toEqual([
      plain,
      plain,
      inspect(plain),
    ]);
    expect(await Promise.resolve(context)).toBe(context);
    expect(Object.getPrototypeOf(context)).toBeNull();
  });

  it("ENGINES-4 keeps tasks apart from prototypes, whatever they are called", async () => {
    await using fixture = await openFixture();
    const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "", "a b", "_level-0"];
    const workflow = new WorkflowDefinition();
    for (const name of names) workflow.addTask(name, () => ({ polluted: name }));
    workflow.addTask("end", (context) => names.map((name) => context[name]!), { dependencies: names });
    const done = fixture.engine().execute(workflow);
    await fixture.test.untilIdle();
    const result = await done;
    expect([result.error, toTask(result, "end").output]).toEqual([null, names.map((name) => ({ polluted: name }))]);
    expect(Object.getOwnPropertyDescriptor({ ...result.context }, "__proto__")?.value).toEqual({
      polluted: "__proto__",
    });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("ENGINES-4 the caller's context and workflow are neither changed nor followed", async () => {
    await using fixture = await openFixture();
    const initial = { list: [1] };
    const workflow = toWorkflow(["a", () => 1], ["b", (context) => context["list"], { dependencies: ["a"] }]);
    const done = fixture.engine().execute(workflow, initial);
    initial.list.push(2);
    workflow.addTask("late", () => 1);
    await fixture.test.untilIdle();
    const result = await done;
    expect(Object.isFrozen(initial)).toBe(false);
    expect(Object.keys(initial)).toEqual(["list"]);
    expect([toTask(result, "b").output, result.context["list"]]).toEqual([[1], [1]]);
    expect(result.tasks.map(({ name }) => name)).toEqual(["a", "b"]);
  });
});
