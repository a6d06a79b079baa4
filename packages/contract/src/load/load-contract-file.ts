// Loads a contract of either kind from a file. Module paths in the file are relative to the file. In the definition they are relative
// to the working directory, so that a process that resumes an execution does not need the path of its contract.

import { dirname, resolve } from "node:path";
import type { Definition } from "@segno/kernel";
import { readContractFile } from "./contract-file.ts";
import { loadDefinition } from "./load-definition.ts";

/**
 * Reads a contract of either kind, native or ONEX, from a file and returns its definition. Relative modules of agents
 * are resolved from the folder of the file.
 */
export async function loadContractFile(file: string, cwd: string = process.cwd()): Promise<Definition> {
  return loadDefinition(readContractFile(file), { file, modules: { folder: dirname(resolve(cwd, file)), cwd } });
}
