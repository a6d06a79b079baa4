// Export and import: one execution as lines of JSON, from any store into any other (JOURNAL-7).
//
// An export is a head line, a line for each block, value and definition, and an end line with the hash of all lines
// before it.
//
//   X1. The end line detects a line that was cut, changed, added or moved.
//   X2. An import is one atomic batch. It never overwrites an existing execution.

import { createHash } from "node:crypto";
import { contentHash, SegnoError, type ContentHash, type EpochMs, type ExecutionId } from "@segno/kernel";
import type { Imported } from "./import-check.ts";
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

const FORMAT = "segno-execution";
const VERSION = 1;
const HASH = /sha256:[0-9a-f]{64}/gu;
const PAGE = 100;

interface HeadLine {
  readonly kind: typeof FORMAT;
  readonly version: number;
  readonly id: ExecutionId;
  readonly epoch: number;
  readonly projection: Projection;
  readonly idempotency?: IdempotencyEntry;
  readonly payloadsRemovedAt?: EpochMs;
}

type ExportLine =
  | HeadLine
  | ({ readonly kind: "block" } & Block)
  | ({ readonly kind: "value" } & Content)
  | ({ readonly kind: "definition" } & Content)
  | { readonly kind: "end"; readonly sha256: string };

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

/** Returns the id of the imported execution. `check` decides whether it is a valid one. */
export async function importExecution(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  check: (imported: Imported) => void = () => undefined,
): Promise<ExecutionId> {
  const read = await readLines(lines);
  const head = read[0];
  if (head?.kind !== FORMAT) throw invalid("the first line is not the head of an export");
  if (head.version !== VERSION) throw invalid(`this Segno does not support version ${String(head.version)}`);
  check({
    id: head.id,
    epoch: head.epoch,
    projection: head.projection,
    blocks: read.filter((line) => line.kind === "block"),
    values: toContents(read, "value"),
    definitions: toContents(read, "definition"),
    payloadsRemovedAt: head.payloadsRemovedAt,
  });
  if ((await store.load(head.id)) !== undefined)
    throw new StoreFault("STORE_EXISTS", `the execution ${head.id} already exists`);
  await store.commit({ appends: toAppends(head, read), taken: [] });
  return head.id;
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

async function readLines(lines: AsyncIterable<string> | Iterable<string>): Promise<ExportLine[]> {
  const digest = createHash("sha256");
  const read: ExportLine[] = [];
  for await (const text of lines) {
    const line = parse(text);
    if (typeof line !== "object" || line === null) throw invalid("a line is not an object");
    if (read.at(-1)?.kind === "end") throw invalid("there are lines after its end");
    if (line.kind === "end" && line.sha256 !== digest.digest("hex"))
      throw invalid("its lines do not match the hash in its end line: it was changed");
    if (line.kind !== "end") digest.update(`${text}\n`);
    read.push(line);
  }
  if (read.at(-1)?.kind !== "end") throw invalid("it has no end: it was cut");
  return read;
}

function parse(text: string): ExportLine {
  try {
    return JSON.parse(text) as ExportLine;
  } catch (cause) {
    throw new SegnoError("EXPORT_INVALID", "a line of the export is not JSON", { cause });
  }
}

/**
 * One append per block, so that the blocks stay unchanged. Shared data comes with the first append. The removal of
 * payloads comes with the last, because no append can follow it.
 */
function toAppends(head: HeadLine, read: readonly ExportLine[]): Append[] {
  const appends = read.filter((line) => line.kind === "block").map((block) => toAppend(head, block));
  const { idempotency, payloadsRemovedAt } = head;
  if (payloadsRemovedAt !== undefined) appends.push({ ...appends.pop()!, payloadsRemovedAt });
  const [first, ...others] = appends;
  if (first === undefined) throw invalid("it has no blocks");
  const values = toContents(read, "value");
  const definitions = toContents(read, "definition");
  return [{ ...first, values, definitions, ...(idempotency === undefined ? {} : { idempotency }) }, ...others];
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

function toContents(read: readonly ExportLine[], kind: "value" | "definition"): Content[] {
  return read.flatMap((line) => (line.kind === kind ? [{ hash: line.hash, body: line.body }] : []));
}

function invalid(reason: string): SegnoError {
  return new SegnoError("EXPORT_INVALID", `the export cannot be imported: ${reason}`);
}
