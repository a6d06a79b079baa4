// Checks an export before any of it is stored. The end line proves that the export is unchanged; this check proves that
// it is a valid execution, and that its head line follows from its journal.

import { compileDefinition, type Definition } from "@segno/kernel";
import { isKey } from "../../idempotency/keys.ts";
import { invalidExport, type DefinitionLine, type Numbered } from "../../journal/export-line.ts";
import { readBlocks } from "../../journal/read-journal.ts";
import type { Imported } from "../../journal/transfer.ts";
import { storedHashes } from "../../store/stored-values.ts";
import type { Content, ContentRequest, Store } from "../../store/store.ts";
import { ExecutionCheck } from "./execution-check.ts";

const HEAD_LINE = 1;

export async function checkImport(imported: Imported): Promise<void> {
  for (const definition of imported.definitions) checkDefinition(definition);
  checkValues(imported);
  checkBlocks(imported);
  checkKey(imported);
  const { head, blocks } = imported;
  const [first] = (await new ExecutionCheck(importedContents(imported)).check({ ...head, blocks })).findings;
  if (first === undefined) return;
  if (first.code === "DEFINITION_DAMAGED") throw invalidExport("a definition that its journal names is missing");
  throw invalidExport(first.message, first.code === "PROJECTION_WRONG" ? HEAD_LINE : undefined);
}

/** Executions share definitions, so every one is checked, also one that this execution does not name. */
function checkDefinition({ body, line }: Numbered<DefinitionLine>): void {
  if (!canCompile(body)) throw invalidExport("the definition is invalid", line);
}

function canCompile(body: string): boolean {
  try {
    return compileDefinition(JSON.parse(body) as Definition).kind !== "problems";
  } catch {
    return false;
  }
}

/** Without this check only the step that needs a missing value would notice. */
function checkValues({ head, blocks, values }: Imported): void {
  if (head.payloadsRemovedAt !== undefined) return;
  const present = new Set(values.map(({ hash }) => hash));
  const lacking = blocks.find((block) => storedHashes([block]).some((hash) => !present.has(hash)));
  if (lacking !== undefined) throw invalidExport("a value that it names is missing", lacking.line);
}

function checkBlocks({ head, blocks }: Imported): void {
  const read = readBlocks(blocks);
  if (read.kind !== "journal") throw invalidExport(read.reason, blocks[read.index ?? -1]?.line);
  if (read.head !== head.projection.head)
    throw invalidExport("its `head` is not the hash of the last block", HEAD_LINE);
}

function checkKey({ head: { idempotency } }: Imported): void {
  if (idempotency !== undefined && !isKey(idempotency.key))
    throw invalidExport("the `key` of its `idempotency` is invalid", HEAD_LINE);
}

/** The bodies of the export, as a store would return them. */
function importedContents({ values, definitions }: Imported): Pick<Store, "contents"> {
  const bodies = { values: toBodies(values), definitions: toBodies(definitions) };
  return {
    contents: async ({ kind, hashes }: ContentRequest) =>
      new Map(hashes.flatMap((hash) => toEntries(hash, bodies[kind].get(hash)))),
  };
}

function toBodies(contents: readonly Content[]): ReadonlyMap<Content["hash"], string> {
  return new Map(contents.map(({ hash, body }) => [hash, body]));
}

function toEntries(hash: Content["hash"], body: string | undefined): readonly (readonly [Content["hash"], string])[] {
  return body === undefined ? [] : [[hash, body]];
}
