// A contract of either kind from its file. Paths of modules in it are relative to the file; the definition has them relative to where
// things run, so that whoever goes on with an execution later need not know where its contract was.

import { dirname, relative, resolve, sep } from "node:path";
import type { AgentDefinition, Definition } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import { readContractFile } from "./contract-file.ts";
import { loadDefinition } from "./load-definition.ts";

export async function loadContractFile(file: string, cwd: string = process.cwd()): Promise<Definition> {
  const definition = await loadDefinition(readContractFile(file), { file });
  return rebaseModulePaths(definition, dirname(resolve(cwd, file)), cwd);
}

/** The definition with the paths of its modules relative to `cwd` instead of to `folder`; names of packages stay. */
export function rebaseModulePaths(definition: Definition, folder: string, cwd: string): Definition {
  if (definition.agents === undefined) return definition;
  const agents = Object.fromEntries(
    Object.entries(definition.agents).map(([name, agent]) => [name, rebaseModulePath(agent, folder, cwd)]),
  );
  return deepFreeze({ ...definition, agents });
}

function rebaseModulePath(agent: AgentDefinition, folder: string, cwd: string): AgentDefinition {
  const { module } = agent;
  if (module === undefined || !/^\.\.?\//u.test(module)) return agent;
  const path = relative(cwd, resolve(folder, module)).split(sep).join("/");
  return { ...agent, module: path.startsWith("../") ? path : `./${path}` };
}
