// Loads a workflow from a file or from standard input: as a definition, or as a list of problems. The file is a contract, or a
// module that exports a built workflow.

import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import {
  groupedDigits,
  ContractError,
  DOCUMENT_LIMITS,
  loadDefinition,
  readContractFile,
  type LocatedProblem,
} from "@segno/contract";
import type { BuiltWorkflow } from "@segno/engine";
import type { Definition } from "@segno/kernel";

import { UsageError } from "../errors/usage-error.ts";
import { moduleReference, type ModuleReference } from "./module-reference.ts";
import { readStandardInput, STANDARD_INPUT } from "./standard-input.ts";

export type LoadedContract =
  | {
      readonly kind: "definition";
      readonly file: string;
      readonly definition: Definition;
      /** Present if the workflow was built by a module. */
      readonly workflow?: BuiltWorkflow;
    }
  | {
      readonly kind: "problems";
      readonly file: string;
      readonly problems: readonly LocatedProblem[];
      /** The text of the contract, to show the positions of problems. Absent if it could not be read. */
      readonly text: string | undefined;
    };

/** With `cwd`, module paths are relative to that folder, instead of to the folder of the contract. */
export async function loadContractDocument(path: string, cwd?: string): Promise<LoadedContract> {
  const module = moduleReference(path);
  if (module !== undefined) return loadFromModule(path, module);
  const file = path === STANDARD_INPUT ? "<stdin>" : path;
  let content: Uint8Array | undefined;
  try {
    content = await readContent(path);
    if (isTemplate(content))
      return { kind: "definition", file, definition: await compileTemplateFile(content, file, cwd) };
    const modules = cwd === undefined ? undefined : { folder: contractFolder(path), cwd };
    const definition = await loadDefinition(content, { file, ...(modules === undefined ? {} : { modules }) });
    return { kind: "definition", file, definition };
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return {
      kind: "problems",
      file,
      problems: error.problems,
      text: content === undefined ? undefined : new TextDecoder().decode(content),
    };
  }
}

async function loadFromModule(file: string, module: ModuleReference): Promise<LoadedContract> {
  // Contracts need neither the builder nor this loader.
  const { loadWorkflowModule } = await import("./workflow-module.ts");
  const loaded = await loadWorkflowModule(module);
  if (loaded.kind === "workflow")
    return { kind: "definition", file, definition: loaded.workflow.definition, workflow: loaded.workflow };
  const { problem, text } = loaded.failure;
  return { kind: "problems", file, problems: [problem], text };
}

/** A template of tasks for coding agents, in the block style of YAML, has tasks where a contract has steps. */
function isTemplate(content: Uint8Array): boolean {
  const text = new TextDecoder().decode(content);
  return /^tasks:/mu.test(text) && !/^(?:steps|workflow_coordination):/mu.test(text);
}

/** A template is shown as the workflow that it becomes. It cannot be started without parameters and a repository. */
async function compileTemplateFile(text: Uint8Array, file: string, cwd: string | undefined): Promise<Definition> {
  if (cwd !== undefined)
    throw new UsageError(`${file} is a template of tasks for coding agents; \`segno code run\` starts it`);
  const { compileTemplate, loadTemplate } = await import("@segno/code");
  return compileTemplate(loadTemplate({ text, file }));
}

export function contractFolder(path: string): string {
  return path === STANDARD_INPUT ? process.cwd() : dirname(resolve(path));
}

async function readContent(path: string): Promise<Uint8Array> {
  if (path === STANDARD_INPUT) return readStandardInput(DOCUMENT_LIMITS.bytes);
  refuseLargeFile(path);
  return readContractFile(path);
}

/** The loader reads at most the limit, so only the file system knows the real size for the message. */
function refuseLargeFile(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= DOCUMENT_LIMITS.bytes) return;
  const message = `expected at most ${groupedDigits(DOCUMENT_LIMITS.bytes)} bytes (1 MiB), found ${groupedDigits(size)}`;
  throw new ContractError([{ code: "CONTRACT_TOO_LARGE", file, line: 1, column: 1, path: [], message }]);
}
