// The contracts that a contract calls: those that were given with it, and otherwise those beside it.
//
//   C1. `workflow: name` is the contract `name` in the file `name.yaml` (or `.yml`, `.json`) of the folder in which the contract
//       is that names it. `name@version` may be `name@version.yaml` as well. A file that holds another contract is passed over.
//   C2. Nothing starts when one of them is missing or wrong; those that they call in turn count as well.

import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { rebaseModulePaths } from "@segno/contract";
import { referencesIn } from "@segno/engine";
import { SegnoError, type Definition } from "@segno/kernel";

import { loadContractDocument, type LoadedContract } from "./contract-document.ts";

export type CalledContracts =
  | { readonly kind: "called"; readonly definitions: readonly Definition[] }
  | Extract<LoadedContract, { kind: "problems" }>;

type FoundContract =
  | { readonly kind: "found"; readonly definition: Definition; readonly folder: string }
  | Extract<LoadedContract, { kind: "problems" }>;

const ENDINGS = [".yaml", ".yml", ".json"] as const;

/** `folder` is that of the contract itself, `given` are further files. */
export async function loadCalled(
  caller: Definition,
  folder: string,
  given: readonly string[],
): Promise<CalledContracts> {
  const known = new Map<string, Definition>();
  const left: { readonly definition: Definition; readonly folder: string }[] = [{ definition: caller, folder }];
  note(caller, known);
  for (const file of given) {
    const found = await load(file);
    if (found.kind === "problems") return found;
    note(found.definition, known);
    left.push(found);
  }
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const reference of referencesIn(next.definition)) {
      if (known.has(reference)) continue;
      const found = await findBeside(reference, next);
      if (found.kind === "problems") return found;
      note(found.definition, known);
      left.push(found);
    }
  }
  return { kind: "called", definitions: [...new Set(known.values())].filter((definition) => definition !== caller) };
}

/** By both of the names that it goes by. */
function note(definition: Definition, known: Map<string, Definition>): void {
  const { name, version } = definition;
  known.set(name, definition);
  if (version !== undefined) known.set(`${name}@${version}`, definition);
}

async function findBeside(
  reference: string,
  { definition: caller, folder }: { readonly definition: Definition; readonly folder: string },
): Promise<FoundContract> {
  for (const file of candidatePaths(reference, folder)) {
    if (!existsSync(file)) continue;
    const found = await load(relative(process.cwd(), file));
    if (found.kind === "problems" || answersTo(found.definition, reference)) return found;
  }
  const file = `${workflowName(reference)}.yaml`;
  throw new SegnoError(
    "WORKFLOW_UNKNOWN",
    `\`${caller.name}\` calls \`${reference}\`, and there is no such contract beside it: write it to \`${file}\` in the same ` +
      "folder, or name its file with --with",
  );
}

function candidatePaths(reference: string, folder: string): readonly string[] {
  const names = new Set([reference, workflowName(reference)]);
  return [...names].flatMap((name) => ENDINGS.map((exitState) => join(folder, `${name}${exitState}`)));
}

function workflowName(reference: string): string {
  return reference.split("@")[0]!;
}

function answersTo({ name, version }: Definition, reference: string): boolean {
  return reference === name || reference === `${name}@${version}`;
}

async function load(file: string): Promise<FoundContract> {
  const loaded = await loadContractDocument(file);
  if (loaded.kind === "problems") return loaded;
  const folder = dirname(resolve(file));
  return { kind: "found", definition: rebaseModulePaths(loaded.definition, folder, process.cwd()), folder };
}
