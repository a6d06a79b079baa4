// Finds the contracts that a workflow calls and does not include: among the files given with `--with`, otherwise in the folder of the caller.
//
//   C1. `workflow: name` is the contract `name` in the file `name.yaml` (or `.yml`, `.json`) in the folder of the calling
//       contract. `name@version` may also be in `name@version.yaml`. A file with another contract is ignored.
//   C2. No execution starts if one of the called contracts, direct or indirect, is missing or invalid.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";

import { referencesIn } from "@segno/engine";
import { SegnoError, type Definition } from "@segno/kernel";

import { contractFolder, loadContractDocument, type LoadedContract } from "./contract-document.ts";

export type CalledContracts =
  | { readonly kind: "called"; readonly definitions: readonly Definition[] }
  | Extract<LoadedContract, { kind: "problems" }>;

type FoundContract =
  | { readonly kind: "found"; readonly definition: Definition; readonly folder: string }
  | Extract<LoadedContract, { kind: "problems" }>;

const ENDINGS = [".yaml", ".yml", ".json"] as const;

/** A workflow, with the workflows that it includes if a module built it. */
interface CallingWorkflow {
  readonly definition: Definition;
  readonly children?: readonly CallingWorkflow[] | undefined;
}

/** `folder` is the folder of the caller; `given` are the files of `--with`. */
export async function loadCalled(
  caller: CallingWorkflow,
  folder: string,
  given: readonly string[],
): Promise<CalledContracts> {
  const known = new Map<string, Definition>();
  const included = withChildren(caller);
  const left: { readonly definition: Definition; readonly folder: string }[] = [];
  for (const definition of included) {
    addKnown(definition, known);
    left.push({ definition, folder });
  }
  for (const file of given) {
    const found = await load(file);
    if (found.kind === "problems") return found;
    addKnown(found.definition, known);
    left.push(found);
  }
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const reference of referencesIn(next.definition)) {
      if (known.has(reference)) continue;
      const found = await findBeside(reference, next);
      if (found.kind === "problems") return found;
      addKnown(found.definition, known);
      left.push(found);
    }
  }
  const others = [...new Set(known.values())].filter((definition) => !included.includes(definition));
  return { kind: "called", definitions: others };
}

function withChildren({ definition, children = [] }: CallingWorkflow): readonly Definition[] {
  return [definition, ...children.flatMap(withChildren)];
}

/** Registers a definition under its name, and under `name@version` if it has a version. */
function addKnown(definition: Definition, known: Map<string, Definition>): void {
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
    `\`${caller.name}\` calls \`${reference}\`, and there is no such contract in its folder: write it to \`${file}\` in the same ` +
      "folder, or name its file with --with",
  );
}

function candidatePaths(reference: string, folder: string): readonly string[] {
  const names = new Set([reference, workflowName(reference)]);
  return [...names].flatMap((name) => ENDINGS.map((ending) => join(folder, `${name}${ending}`)));
}

function workflowName(reference: string): string {
  return reference.split("@")[0]!;
}

function answersTo({ name, version }: Definition, reference: string): boolean {
  return reference === name || reference === `${name}@${version}`;
}

async function load(file: string): Promise<FoundContract> {
  const loaded = await loadContractDocument(file, process.cwd());
  if (loaded.kind === "problems") return loaded;
  return { kind: "found", definition: loaded.definition, folder: contractFolder(file) };
}
