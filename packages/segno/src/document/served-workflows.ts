// The workflows of `segno serve`: from folders with contracts, from contracts, and from modules.
//
//   SV1. Of a folder, the contracts directly in it are loaded: files in YAML or JSON that have steps. Other files are ignored, and so
//        are modules: their code would run, so each has to be named.
//   SV2. A module is loaded with all workflows that it exports, or with the one behind `#`.
//   SV3. Nothing is served if one contract is invalid.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import type { BuiltWorkflow } from "@segno/engine";
import { SegnoError, type Definition } from "@segno/kernel";

import { loadCalled } from "./called-contracts.ts";
import { contractFolder, loadContractDocument, type LoadedContract } from "./contract-document.ts";
import { moduleReference } from "./module-reference.ts";

export type ServedWorkflows =
  | {
      readonly kind: "served";
      readonly offered: readonly (Definition | BuiltWorkflow)[];
      /** Contracts that the others call, and that the server does not offer itself. */
      readonly called: readonly Definition[];
      /** The files of the modules. */
      readonly modules: readonly string[];
    }
  | Extract<LoadedContract, { readonly kind: "problems" }>;

const CONTRACT_ENDING = /\.(?:yaml|yml|json)$/u;

/** `words` are folders, contracts and modules. */
export async function loadServed(words: readonly string[]): Promise<ServedWorkflows> {
  const offered = new Map<string, Definition | BuiltWorkflow>();
  const called = new Map<string, Definition>();
  const modules = new Set<string>();
  for (const word of words.flatMap(filesOf)) {
    const module = moduleReference(word);
    if (module !== undefined) modules.add(module.file);
    for (const file of module?.export === undefined && module !== undefined ? await exportsOf(module.file) : [word]) {
      const loaded = await loadContractDocument(file, process.cwd());
      if (loaded.kind === "problems") return loaded;
      const { definition, workflow } = loaded;
      if (offered.has(definition.name))
        throw new SegnoError(
          "OPTION_INVALID",
          `two files have a workflow \`${definition.name}\`; ${file} is one of them`,
        );
      offered.set(definition.name, workflow ?? definition);
      const others = await loadCalled(workflow ?? { definition }, contractFolder(module?.file ?? file), []);
      if (others.kind === "problems") return others;
      for (const other of others.definitions) called.set(other.name, other);
    }
  }
  for (const name of offered.keys()) called.delete(name);
  return { kind: "served", offered: [...offered.values()], called: [...called.values()], modules: [...modules] };
}

function filesOf(word: string): readonly string[] {
  if (statSync(word, { throwIfNoEntry: false })?.isDirectory() !== true) return [word];
  return readdirSync(word, { withFileTypes: true })
    .filter((entry) => entry.isFile() && CONTRACT_ENDING.test(entry.name))
    .map((entry) => join(word, entry.name))
    .filter(isContract)
    .toSorted();
}

/** A contract that is invalid in another way still counts as one, so its problem is reported (SV1). */
function isContract(file: string): boolean {
  const text = readFileSync(file, "utf8");
  return (
    /^(?:steps|workflow_coordination):/mu.test(text) || /^\s*\{[\s\S]*"(?:steps|workflow_coordination)"\s*:/u.test(text)
  );
}

/** A module may export only agents. */
async function exportsOf(file: string): Promise<readonly string[]> {
  const { importModule, workflowNames } = await import("./workflow-module.ts");
  const imported = await importModule(file);
  // The loader reports why it cannot be imported.
  if (imported.kind === "failure") return [file];
  const byWorkflow = new Map(workflowNames(imported.namespace).map((name) => [imported.namespace[name], name]));
  return [...byWorkflow.values()].map((name) => `${file}#${name}`);
}
