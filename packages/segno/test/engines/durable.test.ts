// With a store: a crash at any moment, and another process that continues. Contexts come from the journal.

import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WorkflowDefinition, type EngineType, type TaskContext, type TaskFunction } from "../../src/engines.ts";
import { MemoryStore } from "@segno/engine/testing";
import { createEngine } from "../../src/engines.ts";
import { HeldTask, openFixture, taskStates, toTask, toWorkflow, type Task } from "./fixture.ts";

/** Larger than an inline value, so that it is stored outside the journal. */
const LARGE = "x".repeat(100_000);

/** The tasks of one process: each records its run and its context; `stuck` never ends in the first process. */
function runProcess(ran: string[], seen: Record<string, TaskContext>, isStuck: boolean): WorkflowDefinition {
  const action =
    (name: string): TaskFunction =>
    (context) => {
      ran.push(name);
      seen[name] = { ...context };
      if (name === "stuck" && isStuck) return new Promise(() => undefined);
      return name === "large" ? LARGE : `from ${name}`;
    };
  const tasks: Task[] = [
    ["small", action("small"), { id: "1" }],
    ["large", action("large"), { id: "2" }],
    ["skipped", action("skipped"), { id: "3", condition: () => false }],
    ["stuck", action("stuck"), { id: "4", dependencies: ["small", "large", "skipped"] }],
    ["last", action("last"), { id: "5", dependencies: ["stuck"] }],
  ];
  return toWorkflow(...tasks);
}

describe("after a crash", () => {
  it.each([
    ["sequential", {}],
    ["parallel", {}],
    ["parallel", { barrier: false }],
  ] as const)("ENGINES-7 %s %j goes on where it was, with the context that it had", async (type, options) => {
    await using fixture = await openFixture();
    const [first, second] = [[] as string[], [] as string[]];
    const [before, after]: Record<string, TaskContext>[] = [{}, {}];
    const initial = { given: LARGE, n: 1 };
    void fixture.engine(type, options).execute(runProcess(first, before!, true), initial, { key: "run-1" });
    await fixture.test.untilIdle();
    await fixture.test.crash();
    const done = fixture.engine(type, options).execute(runProcess(second, after!, false), initial, { key: "run-1" });
    await fixture.test.untilIdle();
    const result = await done;
    expect(result.error).toBeNull();
    expect(first.toSorted()).toEqual(["large", "small", "stuck"]);
    expect(second).toEqual(["stuck", "last"]);
    const known = { ...initial, small: "from small", 1: "from small", large: LARGE, 2: LARGE };
    expect([before!["stuck"], after!["stuck"]]).toEqual([known, known]);
    expect(after!["last"]).toEqual({ ...known, stuck: "from stuck", 4: "from stuck" });
    expect(toTask(result, "large").output).toBe(LARGE);
    expect(taskStates(result)).toMatchObject({ small: "COMPLETED", skipped: "SKIPPED", last: "COMPLETED" });
  });

  it("ENGINES-7 what comes back from a journal cannot be changed either", async () => {
    await using fixture = await openFixture();
    const held = new HeldTask("stuck", []);
    const workflow = (stuck: TaskFunction): WorkflowDefinition =>
      toWorkflow(["list", () => [1]], ["stuck", stuck, { dependencies: ["list"] }]);
    void fixture.engine().execute(workflow(held.action), { deep: [1] }, { key: "k" });
    await fixture.test.untilIdle();
    await fixture.test.crash();
    const frozen: TaskFunction = (context) => [context["list"], context["deep"]].map((each) => Object.isFrozen(each));
    const done = fixture.engine().execute(workflow(frozen), { deep: [1] }, { key: "k" });
    await fixture.test.untilIdle();
    expect(toTask(await done, "stuck").output).toEqual([true, true]);
  });

  it("ENGINES-7 ids that every process makes anew are those of the process that runs the task", async () => {
    await using fixture = await openFixture();
    const started = (isStuck: boolean): { readonly workflow: WorkflowDefinition; readonly first: string } => {
      const workflow = new WorkflowDefinition("sample");
      const first = workflow.addTask("a b", () => 1);
      const action: TaskFunction = (context) => (isStuck ? new Promise(() => undefined) : context[first]);
      workflow.addTask("c", action, { dependencies: [first] });
      return { workflow, first };
    };
    void fixture.engine().execute(started(true).workflow, {}, { key: "k" });
    await fixture.test.untilIdle();
    await fixture.test.crash();
    const done = fixture.engine().execute(started(false).workflow, {}, { key: "k" });
    await fixture.test.untilIdle();
    expect(toTask(await done, "c").output).toBe(1);
  });
});

describe("a key", () => {
  it("ENGINES-7 gives the execution that is there, and no second one", async () => {
    await using fixture = await openFixture();
    const ran: string[] = [];
    const workflow = toWorkflow(["a", () => void ran.push("a")]);
    const engine = fixture.engine();
    const all = [1, 2, 3].map(() => engine.execute(workflow, { n: 1 }, { key: "k" }));
    await fixture.test.untilIdle();
    const ids = (await Promise.all(all)).map(({ executionId }) => executionId);
    expect([new Set(ids).size, ran]).toEqual([1, ["a"]]);
    await expect(engine.execute(workflow, { n: 2 }, { key: "k" })).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
    });
  });
});

describe("a store that cannot be opened", () => {
  it("ENGINES-6 rejects, and may be opened later", async () => {
    const folder = mkdtempSync(join(tmpdir(), "segno-engines-"));
    const file = join(folder, "trips.db");
    mkdirSync(file);
    await using engine = createEngine("sequential", { file });
    const workflow = toWorkflow(["a", () => 1]);
    await expect(engine.execute(workflow)).rejects.toThrow(/./u);
    rmdirSync(file);
    expect(await engine.execute(workflow)).toMatchObject({ success: true });
    await engine.close();
    rmSync(folder, { recursive: true });
  });
});

describe("a store", () => {
  it.each(["sequential", "parallel"] as const)(
    "ENGINES-7 may be given to the %s engine, which opens it",
    async (type: EngineType) => {
      const store = new MemoryStore();
      await using engine = createEngine(type, { store });
      const { executionId, success } = await engine.execute(toWorkflow(["a", () => LARGE], ["b", () => 1]));
      expect(success).toBe(true);
      expect((await store.find({ limit: 10 })).executions.map(({ id }) => id)).toEqual([executionId]);
    },
  );

  it("ENGINES-7 a result that is read from it has the outputs that lie beside the journal", async () => {
    await using fixture = await openFixture();
    const workflow = toWorkflow(["a", () => LARGE]);
    const first = fixture.engine().execute(workflow, {}, { key: "k" });
    await fixture.test.untilIdle();
    expect(toTask(await first, "a").output).toBe(LARGE);
    await fixture.test.crash();
    const again = fixture.engine().execute(workflow, {}, { key: "k" });
    await fixture.test.untilIdle();
    expect(toTask(await again, "a").output).toBe(LARGE);
  });
});
