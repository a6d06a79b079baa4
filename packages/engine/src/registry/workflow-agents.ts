// The functions of a built workflow, found by name. Threads use this file too, so it imports nothing heavy.

import type { Agent } from "../agents/agent.ts";
import type { BuiltWorkflow } from "./registry.ts";

/** Reads no getter: an unfinished builder is built, and may throw, at the first use of its definition. */
export function isBuiltWorkflow(value: unknown): value is BuiltWorkflow {
  return typeof value === "object" && value !== null && "definition" in value && "agents" in value;
}

/** The agent with this name: of the workflow, or of a workflow that it calls and includes. */
export function agentIn({ agents, children = [] }: BuiltWorkflow, name: string): Agent | undefined {
  const own = agents.get(name);
  if (own !== undefined) return own;
  for (const child of children) {
    const found = agentIn(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
