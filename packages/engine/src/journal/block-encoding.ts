// Encodes the events of a turn as one block, with large values stored outside it and a hash that chains it to the
// previous block.
//
//   L1. The chain covers the hash of each value, whether the value is inline or stored (H1 of the kernel's chain). So
//       verification needs no payload, and removing one breaks nothing.
//   L2. Values above 64 KB are stored outside the block, and the event refers to them (JOURNAL-4). If a block has many
//       events, smaller values are stored outside as well, so that no row exceeds 1 MB.

import crypto from "node:crypto";
import {
  chainForm,
  INLINE_BYTES_MAX,
  isJsonObject,
  replaceValues,
  SegnoError,
  type ContentHash,
  type Event,
  type Json,
  type JsonObject,
  type Value,
} from "@segno/kernel";
import { hashOfText } from "../store/stored-values.ts";
import type { Block, Content } from "../store/store.ts";

export interface EncodedBlock {
  readonly block: Block;
  readonly values: readonly Content[];
}

/** Whether the event has a value, so that its form in the chain differs from its line. */
function isValued(event: Event): boolean {
  switch (event.kind) {
    case "step.started":
      return event.call !== undefined;
    case "step.completed":
    case "step.recorded":
    case "step.expanded":
    case "execution.created":
    case "execution.completed":
    case "signal.received":
      return true;
    case "approval.voted":
      return event.answer !== undefined;
    default:
      return false;
  }
}

export function encodeBlock(events: readonly Event[], head: string): EncodedBlock {
  let body = "";
  let forms = head;
  let mayBeLarge = false;
  for (const event of events) {
    const line = toLine(event);
    forms += `\n${hashedForm(event, line)}`;
    body = body === "" ? line : `${body}\n${line}`;
    if (line.length > SURELY_INLINE) mayBeLarge = true;
  }
  const { firstSeq, count, hash: link } = { firstSeq: events[0]!.seq, count: events.length, hash: hashChain(forms) };
  if (!mayBeLarge && body.length <= ROW_MAX) return { block: { firstSeq, count, body, hash: link }, values: NO_VALUES };
  const slim = externalizeValues(events, body.length);
  return { block: { firstSeq, count, body: slim.body, hash: link }, values: slim.values };
}

/**
 * The event as JSON. The two events of every step are concatenated by hand: that takes a twentieth of the time of
 * `JSON.stringify`, and it delays the next step.
 */
function toLine(event: Event): string {
  const { seq, at } = event;
  if (event.kind === "step.completed" && isPlain(event)) {
    const { v, step } = event;
    return `{"v":${v},"seq":${seq},"at":${at},"kind":"step.completed","step":${step},"output":${NULL_VALUE}}`;
  }
  if (event.kind === "step.started" && hasOnlyBasics(event)) {
    const { v, step, attempt, epoch } = event;
    return `{"v":${v},"seq":${seq},"at":${at},"kind":"step.started","step":${step},"attempt":${attempt},"epoch":${epoch}}`;
  }
  return JSON.stringify(event);
}

const NULL_VALUE = JSON.stringify({ kind: "inline", json: null });

function isPlain({ output, signal, isLast, artifacts }: Event & { kind: "step.completed" }): boolean {
  if (signal !== undefined || isLast !== undefined || artifacts !== undefined) return false;
  return output.kind === "inline" && output.json === null;
}

function hasOnlyBasics({ call, secrets, deadline, worker }: Event & { kind: "step.started" }): boolean {
  return call === undefined && secrets === undefined && deadline === undefined && worker === undefined;
}

const NO_VALUES: readonly Content[] = Object.freeze([]);
/** A character has at most four bytes, so a line this short has no value that must be stored outside. */
const SURELY_INLINE = INLINE_BYTES_MAX / 4;
/** A row has at most 1 MB, and a character may have four bytes. */
const ROW_MAX = 262_144;
/** In a larger row, values longer than this are stored outside. */
const LARGE_BLOCK_BYTES_MAX = 1024;

/** Splits lines into the lines without large values, and these values. */
function externalizeValues(
  events: readonly Event[],
  length: number,
): { readonly body: string; readonly values: Content[] } {
  const values: Content[] = [];
  const bytesMax = length <= ROW_MAX ? INLINE_BYTES_MAX : LARGE_BLOCK_BYTES_MAX;
  const lines = events.map((event) =>
    JSON.stringify(isValued(event) ? withoutLargeValues(event as unknown as JsonObject, values, bytesMax) : event),
  );
  return { body: lines.join("\n"), values };
}

/** The hash that a block with these events must have after `head`. */
export function chainHash(events: readonly Event[], head: string): string {
  let forms = head;
  for (const event of events) forms += `\n${isValued(event) ? eventForm(event) : JSON.stringify(event)}`;
  return hashChain(forms);
}

/**
 * The same hash, from the lines that the events were read from. It hashes the written text, so no event is encoded
 * again. Each character of a line counts, in the link or in the hash of its value. If a value was moved or removed, the
 * lines differ from the original ones and give another hash; then `chainHash` decides.
 */
export function hashLines(events: readonly Event[], lines: readonly string[], head: string): string {
  let forms = head;
  for (let index = 0; index < events.length; index++) forms += `\n${hashedForm(events[index]!, lines[index]!)}`;
  return hashChain(forms);
}

function hashedForm(event: Event, line: string): string {
  switch (event.kind) {
    case "step.started":
      return event.call === undefined ? line : (withValueHash(line, "call", event.call) ?? eventForm(event));
    case "step.completed":
      return isPlain(event) && line.endsWith(PLAIN_END)
        ? `${line.slice(0, -PLAIN_END.length)}${PLAIN_FORM_END}`
        : (withValueHash(line, "output", event.output) ?? eventForm(event));
    case "step.recorded":
      return withValueHash(line, "value", event.value) ?? eventForm(event);
    case "execution.completed":
      return withValueHash(line, "output", event.output) ?? eventForm(event);
    case "execution.created":
      return withInnerValueHash(line, "input", event.input) ?? eventForm(event);
    case "approval.voted":
      return event.answer === undefined ? line : eventForm(event);
    case "signal.received":
      return withValueHash(line, "payload", event.payload) ?? eventForm(event);
    case "step.expanded":
      return eventForm(event);
    default:
      return line;
  }
}

/** Replaces the inline value of a line by its hash; undefined if the line does not contain the value literally. */
function withValueHash(line: string, field: string, value: Value): string | undefined {
  // A value at the end of its line is sliced off. No field that may follow it ends with a brace.
  return line.endsWith("}}")
    ? withTextHash(line, field, value, (from) => line.slice(from, -2))
    : withInnerValueHash(line, field, value);
}

/** The same for a value that other fields follow, which may end with a brace themselves. It is encoded again to find its end. */
function withInnerValueHash(line: string, field: string, value: Value): string | undefined {
  return withTextHash(line, field, value, (_, json) => JSON.stringify(json));
}

function withTextHash(
  line: string,
  field: string,
  value: Value,
  findText: (from: number, json: Json) => string,
): string | undefined {
  if (value.kind !== "inline") return undefined;
  const opening = `"${field}":{"kind":"inline","json":`;
  // A quote inside a string is written `\"`, so this text never occurs within one.
  const start = line.indexOf(opening);
  if (start < 0) return undefined;
  const from = start + opening.length;
  const text = findText(from, value.json);
  const rest = from + text.length;
  if (!line.startsWith("}", rest)) return undefined;
  const valueHash = text === "null" ? NULL_HASH : hashOfText(text);
  return `${line.slice(0, start)}"${field}":"${valueHash}"${line.slice(rest + 1)}`;
}

/** The form of the event that the chain hashes. */
function eventForm(event: Event): string {
  return JSON.stringify(chainForm(event, hashJson));
}

function hashChain(text: string): string {
  return crypto.hash("sha256", text, "base64url");
}

const NULL_HASH = hashOfText("null");
/** The end of a line of a step without output, and the end of its form in the chain. */
const PLAIN_END = `"output":${NULL_VALUE}}`;
const PLAIN_FORM_END = `"output":"${NULL_HASH}"}`;

/** The hash under which a journal records a value. */
export function hashJson(json: Json): ContentHash {
  return json === null ? NULL_HASH : hashOfText(JSON.stringify(json));
}

/** Replaces every value in the lines of a block by its hash. The chain still verifies (DATA-11). */
export function withoutPayloads(body: string): string {
  return body
    .split("\n")
    .map((line) => JSON.stringify(withoutLargeValues(parseLine(line), [], NOTHING_STAYS)))
    .join("\n");
}

function parseLine(line: string): JsonObject {
  const event = tryParse(line);
  if (isJsonObject(event)) return event;
  const reason = "an event is damaged, so its values cannot be identified; remove the execution instead";
  throw new SegnoError("JOURNAL_DAMAGED", reason);
}

function tryParse(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}

const NOTHING_STAYS = -1;

/** Replaces the large values of an event by references. */
function withoutLargeValues(event: JsonObject, values: Content[], bytesMax: number): JsonObject {
  return replaceValues(
    event,
    (value) => (value.kind === "inline" ? store(value.json, values, bytesMax) : value) as unknown as Json,
  );
}

function store(json: Json, values: Content[], bytesMax: number): Value {
  const body = JSON.stringify(json);
  const bytes = Buffer.byteLength(body);
  if (bytes <= bytesMax) return { kind: "inline", json };
  const stored = hashOfText(body);
  values.push({ hash: stored, body });
  return { kind: "stored", hash: stored, bytes };
}
