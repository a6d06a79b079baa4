// Checks an export before any of it is stored. The end line proves that the export is unchanged; this check proves that
// it is a valid execution.

import {
  compileDefinition,
  createState,
  executionStatus,
  foldAll,
  SegnoError,
  type ContentHash,
  type Definition,
  type Program,
} from "@segno/kernel";
import { canonicalHash } from "../checks/definition-text.ts";
import { isName } from "../checks/names.ts";
import { readJournal } from "./read-journal.ts";
import { hashOfText, storedHashes } from "../store/stored-values.ts";
import type { Block, Content, Projection } from "../store/store.ts";

export interface Imported {
  readonly id: unknown;
  readonly epoch: unknown;
  readonly projection: Projection;
  readonly blocks: readonly Block[];
  readonly values: readonly Content[];
  readonly definitions: readonly Content[];
  /** When the payloads were removed, if they were. The export then need not contain the values (DATA-11). */
  readonly payloadsRemovedAt: unknown;
}

const TEXTS = ["workflow", "definition", "status", "head", "correlationId"] as const;
const NUMBERS = ["seq", "createdAt", "updatedAt", "priority", "stepsTotal", "stepsEnded"] as const;

export function checkImport(imported: Imported): void {
  const { id, epoch, projection, blocks } = imported;
  if (typeof id !== "string" || id === "" || !isName(id)) throw invalid("its id is invalid");
  if (!Number.isInteger(epoch) || (epoch as number) < 1) throw invalid("its epoch is not a number");
  checkProjection(projection);
  if (!blocks.every(isBlock)) throw invalid("one of its blocks is malformed");
  if (![...imported.values, ...imported.definitions].every(isContent)) throw invalid("one of its values is malformed");
  if (!imported.values.every(({ hash, body }) => hashOfText(body) === hash))
    throw invalid("one of its values does not match its hash");
  checkValues(imported);
  checkJournal(imported);
}

/** Without this check only the step that needs a missing value would notice. */
function checkValues({ blocks, values, payloadsRemovedAt }: Imported): void {
  if (payloadsRemovedAt !== undefined && !Number.isSafeInteger(payloadsRemovedAt))
    throw invalid("the time at which its payloads were removed is not a number");
  const present = new Set(values.map(({ hash }) => hash));
  if (payloadsRemovedAt === undefined && storedHashes(blocks).some((hash) => !present.has(hash)))
    throw invalid("a value that it names is missing");
}

function checkProjection(projection: unknown): void {
  if (typeof projection !== "object" || projection === null) throw invalid("its head line has no projection");
  const fields = projection as Readonly<Record<string, unknown>>;
  for (const field of TEXTS)
    if (typeof fields[field] !== "string" || !isName(fields[field])) throw invalid(`its ${field} is not a valid name`);
  for (const field of NUMBERS) if (!Number.isFinite(fields[field])) throw invalid(`its ${field} is not a number`);
}

function isBlock(block: Block): boolean {
  return (
    Number.isInteger(block.firstSeq) &&
    Number.isInteger(block.count) &&
    typeof block.body === "string" &&
    typeof block.hash === "string"
  );
}

function isContent({ hash, body }: Content): boolean {
  return typeof hash === "string" && typeof body === "string";
}

/**
 * Checks that the chain is intact, the definition exists, and the fold of the events matches the projection of the
 * export.
 */
function checkJournal({ id, epoch, projection, blocks, definitions }: Imported): void {
  const loaded = { kind: "execution", id: id as never, epoch: epoch as number, projection, blocks } as const;
  const journal = readJournal(loaded);
  if (journal.kind !== "journal") throw invalid(journal.reason);
  const programs = new Map(definitions.map((content) => compileContent(content)));
  const program = programs.get(projection.definition);
  if (program === undefined) throw invalid("its definition is missing");
  const [created] = journal.events;
  if (created?.kind !== "execution.created" || created.execution !== id || created.definition !== projection.definition)
    throw invalid("its journal belongs to another execution");
  const status = foldStatus(program, programs, journal.events);
  if (status !== projection.status) throw invalid(`its events lead to ${status}, not to ${projection.status}`);
}

function compileContent({ hash, body }: Content): readonly [ContentHash, Program] {
  const result = compileDefinition(parseBody(body) as Definition);
  if (canonicalHash(body) !== hash || result.kind === "problems") throw invalid("one of its definitions is invalid");
  return [hash, result.program];
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalid("one of its definitions is not JSON");
  }
}

function foldStatus(
  program: Program,
  programs: ReadonlyMap<ContentHash, Program>,
  events: Parameters<typeof foldAll>[1],
): string {
  try {
    return executionStatus(foldAll(createState(program, programs), events));
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

function invalid(reason: string): SegnoError {
  return new SegnoError("EXPORT_INVALID", `the export cannot be imported: ${reason}`);
}
