import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { AgentScript } from "../../../src/agents/memory-agents.ts";
import type { ExecutorConfig } from "../../../src/config/executor-config.ts";
import { MemoryExecutor } from "../../executor/memory-executor.ts";
import { hangs, independent, template } from "../../executor/memory-scripts.ts";
import type { KeyEffect } from "./key-effect.ts";
import { runTimed } from "./timed-run.ts";

const PRIORITIES = template(`
name: priorities
tasks:
  - { id: low, instructions: low, priority: 1 }
  - { id: high, instructions: high, priority: 9 }
  - { id: middle, instructions: middle, priority: 5 }
`);

/** The tasks in the order in which their agents started. */
async function order(config: ExecutorConfig): Promise<readonly string[]> {
  await using test = new MemoryExecutor({}, { config });
  await test.executor.executeWorkflow(await test.executor.instantiateTemplate(PRIORITIES, {}));
  return test.agents.requests.map(({ taskId }) => taskId);
}

/** How many of four agents were at work at once, at most. */
export async function mostAtOnce(config: ExecutorConfig): Promise<number> {
  let now = 0;
  let most = 0;
  const script: AgentScript = async () => {
    most = Math.max(most, ++now);
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    now--;
    return undefined;
  };
  const ids = ["a", "b", "c", "d"];
  await using test = new MemoryExecutor(Object.fromEntries(ids.map((id) => [id, script])), { config });
  await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent(...ids), {}));
  return most;
}

function strategyModule(name: string, choice: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "segno-strategy-")), `${name}.mjs`);
  writeFileSync(file, `export const strategy = { selectTask: (ready) => ${choice} };\n`);
  return file;
}

export const SCHEDULING_EFFECTS: readonly KeyEffect[] = [
  {
    key: "scheduling.strategy",
    beside: { scheduling: { max_parallel_tasks: 1 } },
    values: ["fifo", "priority"],
    results: [
      ["low", "high", "middle"],
      ["high", "middle", "low"],
    ],
    observe: order,
  },
  {
    key: "scheduling.module",
    beside: { scheduling: { strategy: "custom", max_parallel_tasks: 1 } },
    values: [strategyModule("first", "ready[0]"), strategyModule("last", "ready.at(-1)")],
    results: [
      ["low", "high", "middle"],
      ["middle", "high", "low"],
    ],
    observe: order,
  },
  { key: "scheduling.max_parallel_tasks", values: [1, 3], results: [1, 3], observe: mostAtOnce },
  {
    key: "scheduling.task_timeout",
    beside: { retry: { max_attempts: 1 } },
    values: [60, 3600],
    results: ["failed", "running"],
    observe: async (config) => (await runTimed(config, hangs(), "30m")).state,
  },
];
