// The modules of `--import`: their exported workflows and agents are registered with the engine.

import type { AgentFunction, BuiltWorkflow, NamedAgent } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { importModule, workflowNames, type ModuleNamespace } from "./workflow-module.ts";

export interface RegisteredModules {
  readonly workflows: readonly BuiltWorkflow[];
  readonly agents: Readonly<Record<string, NonNullable<NamedAgent["agent"]> | AgentFunction>>;
}

/** Throws if a module cannot be imported, or if it has nothing to register. */
export async function importRegistered(files: readonly string[]): Promise<RegisteredModules> {
  const workflows: BuiltWorkflow[] = [];
  const agents: Record<string, NonNullable<NamedAgent["agent"]>> = {};
  for (const file of files) {
    const namespace = await namespaceOf(file);
    const found = workflowNames(namespace).map((name) => namespace[name] as BuiltWorkflow);
    const named = Object.values(namespace).filter(isNamedAgent);
    if (found.length + named.length === 0)
      throw new SegnoError(
        "WORKFLOW_EXPORT_MISSING",
        `--import ${file}: it exports neither a workflow nor an agent, so there is nothing to register`,
      );
    for (const workflow of found) workflows.push(workflow);
    for (const { name, agent } of named) agents[name] = agent;
  }
  return { workflows, agents };
}

async function namespaceOf(file: string): Promise<ModuleNamespace> {
  const imported = await importModule(file);
  if (imported.kind === "module") return imported.namespace;
  const { code, file: place, line, column, message } = imported.failure.problem;
  throw new SegnoError(code, `--import ${file}: ${place}:${line}:${column}: ${message}`);
}

/** The result of `agent(name, work)`. Without the work it only names an agent, and there is nothing to register. */
function isNamedAgent(value: unknown): value is Required<Pick<NamedAgent, "name" | "agent">> {
  if (typeof value !== "object" || value === null) return false;
  const { kind, name, agent } = value as Readonly<Record<string, unknown>>;
  return kind === "agent" && typeof name === "string" && typeof agent === "object" && agent !== null;
}
