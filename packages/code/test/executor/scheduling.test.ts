import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Engine } from "@segno/engine";
import { afterAll, describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { EXECUTOR_DEFAULTS } from "../../src/config/executor-config.ts";
import { AdaptiveScheduler } from "../../src/scheduling/adaptive-scheduler.ts";
import { codeStrategy } from "../../src/scheduling/code-strategy.ts";
import type { SchedulingStrategy } from "../../src/scheduling/scheduling-strategy.ts";
import type { CodeTask } from "../../src/model/task.ts";
import type { CodeTemplate } from "../../src/template/template.ts";
import { MemoryExecutor, quick } from "./memory-executor.ts";
import { Gate, independent, template, writes } from "./memory-scripts.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-strategies-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PRIORITIES = template(`
name: priorities
tasks:
  - { id: low, instructions: low, priority: 1 }
  - { id: high, instructions: high, priority: 9, deadline: 2h }
  - { id: middle, instructions: middle, priority: 5, type: chore }
  - { id: last, instructions: last, dependsOn: [low, high] }
`);

/** One task at a time, so that the order shows. */
function inTurn(strategy: "fifo" | "priority" | "parallel"): typeof EXECUTOR_DEFAULTS {
  const config = quick(EXECUTOR_DEFAULTS);
  return { ...config, scheduling: { ...config.scheduling, strategy, maxParallelTasks: 1 } };
}

const orderOf = (test: MemoryExecutor): readonly string[] => test.agents.requests.map(({ taskId }) => taskId);

async function run(test: MemoryExecutor, chosen: CodeTemplate): Promise<void> {
  await test.executor.executeWorkflow(await test.executor.instantiateTemplate(chosen, {}));
}

/** How many agents were at work at once, at most. */
class Counter {
  now = 0;
  most = 0;
  readonly alone: string[] = [];

  readonly script: AgentScript = async ({ request }) => {
    this.now++;
    this.most = Math.max(this.most, this.now);
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    if (this.now === 1) this.alone.push(request.taskId);
    this.now--;
    return undefined;
  };
}

describe("the scheduling of a running workflow", () => {
  it.each([
    ["fifo", ["low", "high", "middle", "last"]],
    ["priority", ["high", "middle", "low", "last"]],
    ["parallel", ["low", "high", "middle", "last"]],
  ] as const)("CODE-13 the strategy %s of the configuration orders the tasks", async (strategy, order) => {
    await using test = new MemoryExecutor({}, { config: inTurn(strategy) });
    await run(test, PRIORITIES);
    expect(orderOf(test)).toEqual(order);
  });

  it("CODE-14 a custom strategy gets tasks with dependencies, dependants and dates, and decides", async () => {
    await using test = new MemoryExecutor({}, { config: inTurn("fifo") });
    const seen: CodeTask[] = [];
    const contexts = new Set<string>();
    test.executor.taskScheduler.setSchedulingStrategy({
      selectTask: (ready, context) => {
        seen.push(...ready);
        contexts.add(`${context.template} ${context.baseBranch} ${context.baseCommit.length}`);
        return ready.at(-1)!;
      },
    });
    await run(test, PRIORITIES);
    expect(orderOf(test)).toEqual(["middle", "high", "low", "last"]);
    expect(contexts).toEqual(new Set(["priorities main 40"]));
    const high = seen.find(({ id }) => id === "high")!;
    expect(high).toMatchObject({ priority: 9, dependencies: [], blockedTasks: ["last"], title: "high" });
    expect(Date.parse(high.deadline!)).toBeGreaterThan(Date.now());
    expect(seen.find(({ id }) => id === "middle")!.type).toBe("chore");
    await run(
      test,
      template(`
name: after
tasks:
  - { id: first, instructions: first }
  - { id: second, instructions: second, dependsOn: [first] }
  - { id: third, instructions: third, dependsOn: [first] }
`),
    );
    expect(seen.find(({ id }) => id === "third")!.dependencies).toEqual(["first"]);
  });
});

describe("a custom strategy", () => {
  it("CODE-13 is loaded from the module that the configuration names", async () => {
    const module = join(folder, "strategy.mjs");
    writeFileSync(module, "export const strategy = { selectTask: (ready) => ready.at(-1) };\n");
    writeFileSync(join(folder, "empty.mjs"), "export const other = 1;\n");
    const config = inTurn("fifo");
    const custom = { ...config, scheduling: { ...config.scheduling, strategy: "custom" as const, module } };
    await using test = new MemoryExecutor({}, { config: custom });
    await run(test, PRIORITIES);
    expect(orderOf(test)).toEqual(["middle", "high", "low", "last"]);
    for (const wrong of [join(folder, "nothing.mjs"), join(folder, "empty.mjs")]) {
      const scheduling = { ...custom.scheduling, module: wrong };
      await using broken = new MemoryExecutor({}, { config: { ...custom, scheduling } });
      await expect(run(broken, PRIORITIES)).rejects.toMatchObject({ code: "CONFIGURATION_INVALID" });
    }
  });

  it("CODE-14 that is set while the workflow runs takes effect with the next task", async () => {
    const gate = new Gate();
    await using test = new MemoryExecutor({ low: gate.script }, { config: inTurn("fifo") });
    const running = run(test, PRIORITIES);
    await gate.begun;
    test.executor.taskScheduler.setSchedulingStrategy({ selectTask: (ready) => ready.at(-1)! });
    gate.open();
    await running;
    expect(orderOf(test)).toEqual(["low", "middle", "high", "last"]);
  });

  it.each<readonly [string, SchedulingStrategy]>([
    [
      "throws",
      {
        selectTask: () => {
          throw new Error("no idea");
        },
      },
    ],
    ["chooses a task that is not ready", { selectTask: () => ({ id: "last" }) as CodeTask }],
    ["answers later", { selectTask: (ready) => Promise.resolve(ready[0]) as unknown as CodeTask }],
  ])("CODE-14 that %s ends the workflow before an agent starts", async (_, strategy) => {
    await using test = new MemoryExecutor({}, { config: inTurn("fifo") });
    test.executor.taskScheduler.setSchedulingStrategy(strategy);
    const id = await test.executor.instantiateTemplate(PRIORITIES, {});
    await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({ code: "STRATEGY_INVALID" });
    expect(await test.executor.getWorkflowStatus(id)).toMatchObject({
      state: "cancelled",
      error: expect.stringContaining("the scheduling strategy is not valid") as string,
    });
    expect(orderOf(test)).toEqual([]);
  });
});

describe("an engine of the program", () => {
  it("CODE-14 is scheduled by `codeStrategy()`", async () => {
    const engineStrategy = codeStrategy();
    await using engine = await Engine.open({ store: "none", strategy: engineStrategy });
    await using test = new MemoryExecutor({}, { engine, engineStrategy, config: inTurn("fifo") });
    test.executor.taskScheduler.setSchedulingStrategy({ selectTask: (ready) => ready.at(-1)! });
    engine.agent("plain", () => null);
    const plain = await engine.start({
      name: "plain",
      steps: [{ id: "a" as never, action: { kind: "agent", agent: "plain" } }],
    });
    await plain.result();
    const id = await test.executor.instantiateTemplate(PRIORITIES, {});
    await test.executor.executeWorkflow(id);
    expect(orderOf(test)).toEqual(["middle", "high", "low", "last"]);
  });

  it("CODE-14 refuses a strategy that it would never ask", async () => {
    await using engine = await Engine.open({ store: "none" });
    await using test = new MemoryExecutor({}, { engine });
    expect(() => test.executor.taskScheduler.setSchedulingStrategy("fifo")).toThrow(/without `codeStrategy\(\)`/u);
    await run(test, PRIORITIES);
    expect(orderOf(test)).toHaveLength(4);
  });
});

describe("the mode of a workflow", () => {
  const EXCLUSIVE = template(`
name: exclusive
tasks:
  - { id: a, instructions: a }
  - { id: b, instructions: b }
  - { id: alone, instructions: alone, exclusive: true }
  - { id: c, instructions: c }
`);

  async function count(mode: "sequential" | "parallel" | "hybrid"): Promise<Counter> {
    const counter = new Counter();
    const scripts = Object.fromEntries(["a", "b", "alone", "c"].map((id) => [id, counter.script]));
    await using test = new MemoryExecutor(scripts, { mode });
    await run(test, EXCLUSIVE);
    return counter;
  }

  it("CODE-14 in sequence, one agent works at a time", async () => {
    expect((await count("sequential")).most).toBe(1);
  });

  it("CODE-14 in parallel, exclusive tasks run beside the others", async () => {
    expect((await count("parallel")).most).toBe(4);
  });

  it("CODE-14 in hybrid mode, an exclusive task runs alone and the others in parallel", async () => {
    const counter = await count("hybrid");
    expect(counter.most).toBeGreaterThan(1);
    expect(counter.alone).toContain("alone");
  });

  it("CODE-10 an adaptive scheduler limits the agents that work at once", async () => {
    const counter = new Counter();
    const ids = ["a", "b", "c", "d", "e", "f"];
    await using test: MemoryExecutor = new MemoryExecutor(Object.fromEntries(ids.map((id) => [id, counter.script])));
    test.executor.taskScheduler.setSchedulingStrategy(new AdaptiveScheduler({ getAvailable: () => ({ cpu: 0.45 }) }));
    await run(test, independent(...ids));
    expect(counter.most).toBe(2);
    expect(orderOf(test)).toHaveLength(6);
  });
});

describe("files of parallel tasks", () => {
  it("CODE-14 land whatever the order is", async () => {
    const ids = ["a", "b", "c"];
    await using test: MemoryExecutor = new MemoryExecutor(
      Object.fromEntries(ids.map((id) => [id, writes(() => test, `${id}.txt`, id)])),
      { config: inTurn("parallel") },
    );
    await run(test, independent(...ids));
    expect([...test.repository.read(test.repository.resolve("refs/heads/main")!).files.keys()]).toEqual(
      ids.map((id) => `${id}.txt`),
    );
  });
});
