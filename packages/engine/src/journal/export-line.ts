// The lines of an export: their types, and the check of one line on its own (JOURNAL-7).

import { SegnoError, type ContentHash, type EpochMs, type ExecutionId } from "@segno/kernel";
import { isName } from "../checks/names.ts";
import { EPOCH_MAX, isEpoch } from "../store/epoch.ts";
import { hashOfText } from "../store/stored-values.ts";
import type { Block, Content, IdempotencyEntry, Projection } from "../store/store.ts";

export const FORMAT = "segno-execution";
export const VERSION = 1;

export interface HeadLine {
  readonly kind: typeof FORMAT;
  readonly version: number;
  readonly id: ExecutionId;
  readonly epoch: number;
  readonly projection: Projection;
  readonly idempotency?: IdempotencyEntry;
  /** When the payloads were removed, if they were. The export then need not contain the values (DATA-11). */
  readonly payloadsRemovedAt?: EpochMs;
}

export type BlockLine = { readonly kind: "block" } & Block;
export type DefinitionLine = { readonly kind: "definition" } & Content;
type ValueLine = { readonly kind: "value" } & Content;

export type ExportLine =
  | HeadLine
  | BlockLine
  | ValueLine
  | DefinitionLine
  | { readonly kind: "end"; readonly sha256: string };

/** With the number of the line, from 1, which errors name. */
export type Numbered<Line> = Line & { readonly line: number };

type ExportFields = Readonly<Record<string, unknown>>;
/** The reason why the line is malformed; undefined if it is not. */
type LineCheck = (fields: ExportFields) => string | undefined;

const HASH = /^sha256:[0-9a-f]{64}$/u;
const TEXTS = ["workflow", "definition", "status", "head", "correlationId"] as const;
const INTEGERS = ["seq", "createdAt", "updatedAt", "stepsTotal", "stepsEnded"] as const;

const CHECKS: Readonly<Record<ExportLine["kind"], LineCheck>> = {
  [FORMAT]: headReason,
  block: blockReason,
  value: contentReason,
  definition: contentReason,
  end: ({ sha256 }) => (typeof sha256 === "string" ? undefined : "its `sha256` is not text"),
};

export function readExportLine(text: string, line: number): Numbered<ExportLine> {
  const fields = parse(text, line);
  if (!isRecord(fields)) throw invalidExport("it is not an object", line);
  const { kind } = fields;
  if (typeof kind !== "string" || !Object.hasOwn(CHECKS, kind)) throw invalidExport("its `kind` is unknown", line);
  const reason = CHECKS[kind as ExportLine["kind"]](fields);
  if (reason !== undefined) throw invalidExport(reason, line);
  return { ...(fields as unknown as ExportLine), line };
}

export function invalidExport(reason: string, line?: number): SegnoError {
  const where = line === undefined ? "" : `line ${line}: `;
  return new SegnoError("EXPORT_INVALID", `the export cannot be imported: ${where}${reason}`);
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidExport("it is not JSON", line);
  }
}

function headReason({
  version,
  id,
  epoch,
  projection,
  idempotency,
  payloadsRemovedAt,
}: ExportFields): string | undefined {
  if (version !== VERSION) return `this Segno does not support version ${String(version)}`;
  if (!isName(id) || id === "") return "its `id` is invalid";
  if (!isEpoch(epoch)) return `its \`epoch\` is not an integer from 1 to ${EPOCH_MAX}`;
  if (payloadsRemovedAt !== undefined && !Number.isSafeInteger(payloadsRemovedAt))
    return "its `payloadsRemovedAt` is not a time in milliseconds";
  return projectionReason(projection) ?? idempotencyReason(idempotency);
}

function projectionReason(projection: unknown): string | undefined {
  if (!isRecord(projection)) return "it has no `projection`";
  const text = TEXTS.find((field) => !isName(projection[field]));
  if (text !== undefined) return `its \`${text}\` is not a valid name`;
  const integer = INTEGERS.find((field) => !Number.isSafeInteger(projection[field]));
  if (integer !== undefined) return `its \`${integer}\` is not an integer`;
  const { wakeAt, priority, labels, toleratedFailures, failure } = projection;
  if (![labels, failure].every((each) => each === undefined || isText(each)))
    return "its `labels` or its `failure` is not valid text";
  if (toleratedFailures !== undefined && !Number.isSafeInteger(toleratedFailures))
    return "its `toleratedFailures` is not an integer";
  if (wakeAt !== null && !Number.isSafeInteger(wakeAt)) return "its `wakeAt` is neither null nor an integer";
  return Number.isFinite(priority) ? undefined : "its `priority` is not a number";
}

function idempotencyReason(idempotency: unknown): string | undefined {
  if (idempotency === undefined) return undefined;
  if (!isRecord(idempotency) || !isName(idempotency["key"])) return "its `idempotency` has no valid `key`";
  return isHash(idempotency["payload"]) ? undefined : "the `payload` of its `idempotency` is not a hash";
}

function blockReason({ firstSeq, count, body, hash }: ExportFields): string | undefined {
  if (!Number.isSafeInteger(firstSeq) || !Number.isSafeInteger(count))
    return "its `firstSeq` or its `count` is not an integer";
  return typeof body === "string" && typeof hash === "string" ? undefined : "its `body` or its `hash` is not text";
}

function contentReason({ kind, hash, body }: ExportFields): string | undefined {
  if (!isHash(hash) || typeof body !== "string") return "its `hash` or its `body` is malformed";
  return hashOfText(body) === hash ? undefined : `the ${String(kind)} does not match its hash`;
}

function isHash(value: unknown): value is ContentHash {
  return typeof value === "string" && HASH.test(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed() && !value.includes("\u0000");
}

function isRecord(value: unknown): value is ExportFields {
  return typeof value === "object" && value !== null;
}
