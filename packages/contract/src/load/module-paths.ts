import { relative, resolve, sep } from "node:path";

import type { AgentDefinition, Definition } from "@segno/kernel";

/** Module paths in a contract are relative to `folder`; in its definition they are relative to `cwd`. */
export interface ModuleBase {
  readonly folder: string;
  readonly cwd: string;
}

/** Makes module paths relative to `cwd` instead of `folder`. Names of packages stay unchanged. */
export function rebaseModulePaths(definition: Definition, base: ModuleBase): Definition {
  if (definition.agents === undefined) return definition;
  const agents = Object.fromEntries(
    Object.entries(definition.agents).map(([name, agent]) => [name, rebaseModulePath(agent, base)]),
  );
  return { ...definition, agents };
}

function rebaseModulePath(agent: AgentDefinition, { folder, cwd }: ModuleBase): AgentDefinition {
  const { module } = agent;
  if (module === undefined || !/^\.\.?\//u.test(module)) return agent;
  const path = relative(cwd, resolve(folder, module)).split(sep).join("/");
  return { ...agent, module: path.startsWith("../") ? path : `./${path}` };
}
