// Workflows that are written in TypeScript or JavaScript: `file.ts` or `file.ts#export`.
//
//   M1. The module is imported as it is: Node.js removes its types. It is imported once, so an attempt that needs a function of
//       it gets the same module.
//   M2. Without `#export`, the module must export one workflow, under any name.
//   M3. The definition names the module and the export for each of its functions, as a contract names the modules of its agents.
//       So every process that continues an execution finds them (decision 62).

import { existsSync, statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

import { isBuiltWorkflow, type BuiltWorkflow } from "@segno/engine";
import { closest, SegnoError, type AgentDefinition, type Definition } from "@segno/kernel";

import type { ModuleReference } from "./module-reference.ts";
import { importFailure, type ModuleFailure } from "./module-failure.ts";

export type LoadedWorkflow =
  | { readonly kind: "workflow"; readonly workflow: BuiltWorkflow }
  | { readonly kind: "failure"; readonly failure: ModuleFailure };

export type ModuleNamespace = Readonly<Record<string, unknown>>;

/** The time that the import of a module may take. */
const IMPORT_MS = 30_000;

export async function loadWorkflowModule(reference: ModuleReference): Promise<LoadedWorkflow> {
  const imported = await importModule(reference.file);
  if (imported.kind === "failure") return imported;
  try {
    const name = chooseExport(imported.namespace, reference);
    const workflow = imported.namespace[name] as BuiltWorkflow;
    return { kind: "workflow", workflow: withModule(workflow, { module: modulePath(reference.file), export: name }) };
  } catch (error) {
    return { kind: "failure", failure: importFailure(error, reference.file) };
  }
}

type ImportedModule =
  | { readonly kind: "module"; readonly namespace: ModuleNamespace }
  | { readonly kind: "failure"; readonly failure: ModuleFailure };

export async function importModule(file: string): Promise<ImportedModule> {
  try {
    if (!existsSync(file) || !statSync(file).isFile())
      throw new SegnoError("WORKFLOW_MODULE_MISSING", `there is no file ${file}`);
    return { kind: "module", namespace: await importInTime(resolve(file)) };
  } catch (error) {
    return { kind: "failure", failure: importFailure(error, file) };
  }
}

/** Without the timer, a module that waits for ever would end the process without a word. */
async function importInTime(path: string): Promise<ModuleNamespace> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const seconds = IMPORT_MS / 1000;
  const timer = setTimeout(
    () => reject(new SegnoError("WORKFLOW_MODULE_FAILED", `its import did not finish within ${seconds} seconds`)),
    IMPORT_MS,
  );
  try {
    return await Promise.race([import(pathToFileURL(path).href) as Promise<ModuleNamespace>, late]);
  } finally {
    clearTimeout(timer);
  }
}

function chooseExport(namespace: ModuleNamespace, { file, export: wanted }: ModuleReference): string {
  const workflows = workflowNames(namespace);
  if (wanted !== undefined) {
    if (workflows.includes(wanted)) return wanted;
    const near = closest(wanted, workflows);
    const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
    throw new SegnoError(
      "WORKFLOW_EXPORT_MISSING",
      `${file} has no workflow \`${wanted}\`: ${exportText(namespace)}${hint}`,
    );
  }
  // Two names of one workflow are one workflow.
  if (new Set(workflows.map((name) => namespace[name])).size === 1) return workflows[0]!;
  if (workflows.length === 0)
    throw new SegnoError(
      "WORKFLOW_EXPORT_MISSING",
      `${file} exports no workflow: ${exportText(namespace)}; export the result of \`workflow(...)\``,
    );
  const choices = workflows.map((name) => `${file}#${name}`).join(", ");
  throw new SegnoError(
    "WORKFLOW_EXPORT_AMBIGUOUS",
    `${file} exports ${workflows.length} workflows; choose one of ${choices}`,
  );
}

export function workflowNames(namespace: ModuleNamespace): readonly string[] {
  return exportNames(namespace).filter((name) => isBuiltWorkflow(namespace[name]));
}

/** Node.js adds `module.exports` to a CommonJS module. */
function exportNames(namespace: ModuleNamespace): readonly string[] {
  return Object.keys(namespace).filter((name) => name !== "module.exports");
}

function exportText(namespace: ModuleNamespace): string {
  const names = exportNames(namespace);
  return names.length === 0 ? "it exports nothing" : `it exports ${names.map((name) => `\`${name}\``).join(", ")}`;
}

/** Relative to the current folder, like the modules of contracts. */
function modulePath(file: string): string {
  const path = relative(process.cwd(), resolve(file)).split(sep).join("/");
  return path.startsWith("../") ? path : `./${path}`;
}

/** Names the module of each function (M3). The getters of an unfinished builder are read once. */
function withModule(
  workflow: BuiltWorkflow,
  source: Required<Pick<AgentDefinition, "module" | "export">>,
): BuiltWorkflow {
  const { agents, children, validate, definition } = workflow;
  return {
    definition: withAgentModules(definition, [...agents.keys()], source),
    agents,
    ...(children === undefined ? {} : { children: children.map((child) => withModule(child, source)) }),
    ...(validate === undefined ? {} : { validate }),
  };
}

function withAgentModules(definition: Definition, names: readonly string[], source: AgentDefinition): Definition {
  if (names.length === 0) return definition;
  const agents: Record<string, AgentDefinition> = { ...definition.agents };
  for (const name of names) if (agents[name]?.module === undefined) agents[name] = { ...agents[name], ...source };
  return { ...definition, agents };
}
