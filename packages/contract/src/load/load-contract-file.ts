// Loads a contract of either kind from a file. Module paths in the file are relative to the file. In the definition they are relative
// to the working directory, so that a process that resumes an execution does not need the path of its contract.

import { dirname, relative, resolve, sep } from "node:path";
import type { AgentDefinition, Definition } from "@segno/kernel";
import { readContractFile } from "./contract-file.ts";
import { deepFreeze } from "../json/deep-freeze.ts";
import { loadDefinition } from "./load-definition.ts";

export async function loadContractFile(file: string, cwd: string = process.cwd()): Promise<Definition> {
  const definition = await loadDefinition(readContractFile(file), { file });
  return rebaseModulePaths(definition, dirname(resolve(cwd, file)), cwd);
}

/** Makes module paths relative to `cwd` instead of `folder`. Names of packages stay unchanged. */
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
