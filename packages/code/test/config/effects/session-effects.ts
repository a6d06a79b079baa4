import type { AgentScript } from "../../../src/agents/memory-agents.ts";
import type { ExecutorConfig } from "../../../src/config/executor-config.ts";
import { MemoryExecutor } from "../../executor/memory-executor.ts";
import { independent, writes } from "../../executor/memory-scripts.ts";
import type { KeyEffect } from "./key-effect.ts";
import { mostAtOnce } from "./scheduling-effects.ts";

/** Whether the workspace of the task is there after the workflow has ended. */
async function isKept(config: ExecutorConfig, script?: AgentScript): Promise<boolean> {
  await using test: MemoryExecutor = new MemoryExecutor({ a: script ?? writes(() => test, "a.txt", "a") }, { config });
  const id = await test.executor.instantiateTemplate(independent("a"), {});
  await test.executor.executeWorkflow(id).catch(() => undefined);
  return (await test.workspaces.getWorkspacePath(`${id}/a`)) !== undefined;
}

export const SESSION_EFFECTS: readonly KeyEffect[] = [
  {
    key: "session.preserve_on_failure",
    values: [true, false],
    results: [true, false],
    observe: (config) => isKept(config, () => ({ kind: "failed", reason: "no", isLasting: true })),
  },
  {
    key: "session.cleanup_on_success",
    values: [true, false],
    results: [false, true],
    observe: (config) => isKept(config),
  },
  { key: "session.max_concurrent_sessions", values: [1, 2], results: [1, 2], observe: mostAtOnce },
];
