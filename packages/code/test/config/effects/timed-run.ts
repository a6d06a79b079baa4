// A workflow of one task on ports in memory, in virtual time.

import { openTestEngine } from "@segno/engine/testing";
import type { AgentScript } from "../../../src/agents/memory-agents.ts";
import type { ExecutorConfig } from "../../../src/config/executor-config.ts";
import { codeStrategy } from "../../../src/scheduling/code-strategy.ts";
import { MemoryExecutor } from "../../executor/memory-executor.ts";
import { independent } from "../../executor/memory-scripts.ts";

export interface TimedRun {
  /** When the attempts of the agent began, in milliseconds after the first one. */
  readonly attemptsAt: readonly number[];
  readonly state: string;
}

export async function runTimed(config: ExecutorConfig, script: AgentScript, duration: string): Promise<TimedRun> {
  const engineStrategy = codeStrategy();
  await using time = await openTestEngine({ strategy: engineStrategy });
  const began: number[] = [];
  const scripts = {
    a: (async (agent) => {
      began.push(time.now);
      return await script(agent);
    }) satisfies AgentScript,
  };
  await using test = new MemoryExecutor(scripts, { config, engine: time.engine, engineStrategy });
  const id = await test.executor.instantiateTemplate(independent("a"), {});
  const ended = test.executor.executeWorkflow(id).catch(() => undefined);
  await time.untilIdle();
  await time.advance(duration);
  const { state } = await test.executor.getWorkflowStatus(id);
  await test.executor.cancelWorkflow(id).catch(() => undefined);
  await time.advance("1m");
  await ended;
  return { attemptsAt: began.map((at) => at - began[0]!), state };
}
