// Export and import: one execution as lines of JSON, from any store into any other (JOURNAL-7).
//
// An export is a head line, a line for each block, value and definition, and an end line with the hash of all lines
// before it.
//
//   X1. The end line detects a line that was cut, changed, added or moved.
//   X2. An import is one atomic batch. It never overwrites an existing execution, and never takes the idempotency key
//       of another one.

import { createHash } from "node:crypto";
import { contentHash, type ContentHash, type ExecutionId } from "@segno/kernel";
import {
  FORMAT,
  invalidExport,
  readExportLine,
  VERSION,
  type BlockLine,
  type DefinitionLine,
  type ExportLine,
  type HeadLine,
  type Numbered,
} from "./export-line.ts";
import { StoreFault } from "../store/store-fault.ts";
import { readValues, storedHashes } from "../store/stored-values.ts";
import type {
  Append,
  Block,
  Content,
  IdempotencyEntry,
  LoadResult,
  Projection,
  Store,
  Summary,
} from "../store/store.ts";

const HASH = /sha256:[0-9a-f]{64}/gu;
const PAGE = 100;

/** An export as it was read, before anything of it is stored. */
export interface Imported {
  readonly head: HeadLine;
  readonly blocks: readonly Numbered<BlockLine>[];
  readonly values: readonly Content[];
  readonly definitions: readonly Numbered<DefinitionLine>[];
}

export interface ImportRules {
  /** Decides whether the export is a valid execution. */
  readonly check?: (imported: Imported) => Promise<void>;
  /** Decides about its key (IDEM-1). Without it, no other execution may have had the key. */
  readonly keys?: ImportKeys;
}

/** The key of the execution, and the execution after which it may have the key (K11). */
interface ImportClaim {
  readonly entry: IdempotencyEntry;
  readonly previousWithKey: ExecutionId | null;
}

interface ImportKeys {
  commitImport(
    imported: Pick<Projection, "status" | "updatedAt"> & Pick<HeadLine, "id"> & Pick<ImportClaim, "entry">,
    commit: (claim?: ImportClaim) => Promise<void>,
  ): Promise<void>;
}

const ONLY_NEW_KEYS: ImportKeys = { commitImport: ({ entry }, commit) => commit({ entry, previousWithKey: null }) };

export async function* exportExecution(store: Store, id: ExecutionId): AsyncIterable<string> {
  const loaded = await store.load(id);
  if (loaded === undefined) return;
  if (loaded.kind === "unreadable")
    throw new StoreFault("STORE_CORRUPT", `execution ${id} is unreadable: ${loaded.reason}`);
  const digest = createHash("sha256");
  for await (const line of exportLines(store, loaded)) {
    const text = JSON.stringify(line);
    digest.update(`${text}\n`);
    yield text;
  }
  yield JSON.stringify({ kind: "end", sha256: digest.digest("hex") } satisfies ExportLine);
}

/** Returns the id of the imported execution. */
export async function importExecution(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  { check, keys = ONLY_NEW_KEYS }: ImportRules = {},
): Promise<ExecutionId> {
  const imported = await readImported(lines);
  await check?.(imported);
  const { id, idempotency: entry, projection } = imported.head;
  if ((await store.load(id)) !== undefined) throw existsError(id);
  const commit = (claim?: ImportClaim): Promise<void> => commitImport(store, imported, claim);
  if (entry === undefined) await commit();
  else await keys.commitImport({ id, entry, status: projection.status, updatedAt: projection.updatedAt }, commit);
  return id;
}

async function commitImport(store: Store, imported: Imported, claim: ImportClaim | undefined): Promise<void> {
  const { id } = imported.head;
  try {
    await store.commit({ appends: toAppends(imported, claim), consumedMessages: [] });
  } catch (error) {
    const isFenced = error instanceof StoreFault && error.code === "STORE_FENCED";
    // A second import of the same execution may have been faster.
    throw isFenced && (await store.load(id)) !== undefined ? existsError(id) : error;
  }
}

async function* exportLines(store: Store, loaded: LoadResult & { kind: "execution" }): AsyncIterable<ExportLine> {
  const { id, epoch, projection, blocks, payloadsRemovedAt } = loaded;
  const idempotency = await readIdempotency(store, loaded);
  yield {
    kind: FORMAT,
    version: VERSION,
    id,
    epoch,
    projection,
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(payloadsRemovedAt === undefined ? {} : { payloadsRemovedAt }),
  };
  for (const block of blocks) yield { kind: "block", ...block };
  const hashes = namedIn(projection, blocks);
  const values = await readValues(store, id, hashes);
  const missing = storedHashes(blocks).find((hash) => !values.has(hash));
  if (missing !== undefined && payloadsRemovedAt === undefined)
    throw new StoreFault("STORE_CORRUPT", `the value ${missing} of the execution ${id} is not in the store`);
  for (const [hash, body] of values) yield { kind: "value", hash, body };
  for (const [hash, body] of await store.contents({ kind: "definitions", hashes }))
    yield { kind: "definition", hash, body };
}

/** Every hash that the blocks name. The store returns only the bodies that it has. */
function namedIn({ definition }: Projection, blocks: readonly Block[]): ContentHash[] {
  const named = new Set<string>([definition]);
  for (const { body } of blocks) for (const [hash] of body.matchAll(HASH)) named.add(hash);
  return Array.from(named, contentHash);
}

async function readIdempotency(
  store: Store,
  { id, projection }: LoadResult & { kind: "execution" },
): Promise<IdempotencyEntry | undefined> {
  const { correlationId } = projection;
  for await (const summary of listSummaries(store, correlationId)) if (summary.id === id) return summary.idempotency;
  return undefined;
}

async function* listSummaries(store: Store, correlationId: string): AsyncIterable<Summary> {
  let cursor: string | undefined;
  do {
    const page = await store.find({ limit: PAGE, correlationId, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.executions;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function readImported(lines: AsyncIterable<string> | Iterable<string>): Promise<Imported> {
  const [head, ...others] = await readLines(lines);
  if (head?.kind !== FORMAT) throw invalidExport("it is not the head of an export", 1);
  const second = others.find(({ kind }) => kind === FORMAT);
  if (second !== undefined) throw invalidExport("it is a second head", second.line);
  const blocks = others.filter((line) => line.kind === "block");
  if (blocks.length === 0) throw invalidExport("it has no blocks");
  return {
    head,
    blocks,
    values: others.filter((line) => line.kind === "value"),
    definitions: others.filter((line) => line.kind === "definition"),
  };
}

async function readLines(lines: AsyncIterable<string> | Iterable<string>): Promise<Numbered<ExportLine>[]> {
  const digest = createHash("sha256");
  const read: Numbered<ExportLine>[] = [];
  for await (const text of lines) {
    const line = readExportLine(text, read.length + 1);
    if (read.at(-1)?.kind === "end") throw invalidExport("it comes after the end of the export", line.line);
    if (line.kind === "end" && line.sha256 !== digest.digest("hex"))
      throw invalidExport("its hash does not match the lines before it: they were changed", line.line);
    if (line.kind !== "end") digest.update(`${text}\n`);
    read.push(line);
  }
  if (read.at(-1)?.kind !== "end") throw invalidExport("it has no end line: it was truncated");
  return read;
}

/**
 * One append per block, so that the blocks stay unchanged. Shared data comes with the first append. The removal of
 * payloads comes with the last, because no append can follow it.
 */
function toAppends({ head, blocks, values, definitions }: Imported, claim: ImportClaim | undefined): Append[] {
  const appends = blocks.map((block) => toAppend(head, block));
  const { payloadsRemovedAt } = head;
  if (payloadsRemovedAt !== undefined) appends.push({ ...appends.pop()!, payloadsRemovedAt });
  const shared = { values: values.map(toContent), definitions: definitions.map(toContent) };
  const key = claim === undefined ? {} : { idempotency: claim.entry, previousWithKey: claim.previousWithKey };
  return appends.with(0, { ...appends[0]!, ...shared, ...key });
}

function toAppend({ id, epoch, projection }: HeadLine, { firstSeq, count, body, hash }: Block): Append {
  return {
    execution: id,
    afterSeq: firstSeq - 1,
    expectedEpoch: firstSeq === 1 ? 0 : epoch,
    epoch,
    block: { firstSeq, count, body, hash },
    projection: { ...projection, seq: firstSeq + count - 1, head: hash },
    values: [],
    definitions: [],
  };
}

function toContent({ hash, body }: Content): Content {
  return { hash, body };
}

function existsError(id: ExecutionId): StoreFault {
  return new StoreFault("STORE_EXISTS", `the execution ${id} already exists`);
}
