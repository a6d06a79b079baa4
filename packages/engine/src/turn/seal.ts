// Sealing: the events of a turn become one block, with large values beside it and a hash that links it to the block before.
//
//   L1. A value counts in the hash by its own hash, inline or stored (H1 of the kernel's chain), so verifying needs no
//       payload, and deleting one breaks nothing.
//   L2. Values above 64 KB leave the block; the event names them (JOURNAL-4).

import { hash } from "node:crypto";
import {
  chainForm,
  contentHash,
  INLINE_BYTES_MAX,
  isJsonObject,
  type ContentHash,
  type Event,
  type Json,
  type JsonObject,
  type Value,
} from "@segno/kernel";
import type { Block, Content } from "../store/store.ts";

export interface Sealed {
  readonly block: Block;
  readonly values: readonly Content[];
}

/** Whether the event brings a value, so that its form in the chain is not the event as it is written. */
function isValued(event: Event): boolean {
  switch (event.kind) {
    case "step.started":
      return event.call !== undefined;
    case "step.completed":
    case "step.expanded":
    case "execution.created":
    case "execution.completed":
    case "signal.received":
      return true;
    default:
      return false;
  }
}

export function seal(events: readonly Event[], head: string): Sealed {
  const values: Content[] = [];
  let body = "";
  let forms = head;
  for (const event of events) {
    const line = JSON.stringify(event);
    const hasValue = isValued(event);
    forms += hasValue ? `\n${formOf(event)}` : `\n${line}`;
    const kept =
      !hasValue || line.length <= SURELY_INLINE
        ? line
        : JSON.stringify(slimmed(event as unknown as JsonObject, values));
    body = body === "" ? kept : `${body}\n${kept}`;
  }
  return { block: { firstSeq: events[0]!.seq, count: events.length, body, hash: linkOf(forms) }, values };
}

/** A character is at most four bytes, so a line this short holds no value that has to leave it. */
const SURELY_INLINE = INLINE_BYTES_MAX / 4;

/** The hash that a block with these events must have behind `head`. */
export function chainHash(events: readonly Event[], head: string): string {
  let forms = head;
  for (const event of events) forms += `\n${isValued(event) ? formOf(event) : JSON.stringify(event)}`;
  return linkOf(forms);
}

/**
 * The same, from the lines that the events were read from: what was written is hashed as it stands, which spares writing
 * every event again. Each character of a line counts, in the link or in the hash of its value. Lines that are not as they
 * were first written, because a value was moved or removed, give another hash than `chainHash`, which then decides.
 */
export function writtenHash(events: readonly Event[], lines: readonly string[], head: string): string {
  let forms = head;
  for (let index = 0; index < events.length; index++) forms += `\n${writtenForm(events[index]!, lines[index]!)}`;
  return linkOf(forms);
}

function writtenForm(event: Event, line: string): string {
  switch (event.kind) {
    case "step.started":
      return event.call === undefined ? line : (spliced(line, "call", event.call) ?? formOf(event));
    case "step.completed":
    case "execution.completed":
      return spliced(line, "output", event.output) ?? formOf(event);
    case "execution.created":
      return spliced(line, "input", event.input) ?? formOf(event);
    case "signal.received":
      return spliced(line, "payload", event.payload) ?? formOf(event);
    case "step.expanded":
      return formOf(event);
    default:
      return line;
  }
}

/** The line with its inline value replaced by the value's hash; nothing when the value does not stand there as such. */
function spliced(line: string, field: string, value: Value): string | undefined {
  if (value.kind !== "inline") return undefined;
  const opening = `"${field}":{"kind":"inline","json":`;
  // A quote inside a string is written `\"`, so this is never found in one.
  const start = line.indexOf(opening);
  if (start < 0) return undefined;
  const from = start + opening.length;
  // A value at the end of its line is read off it; one in the middle is written again, to know where it ends.
  const text = line.endsWith("}}") ? line.slice(from, -2) : JSON.stringify(value.json);
  const rest = from + text.length;
  if (!line.startsWith("}", rest)) return undefined;
  const valueHash = text === "null" ? NULL_HASH : hashOfText(text);
  return `${line.slice(0, start)}"${field}":"${valueHash}"${line.slice(rest + 1)}`;
}

/** The event as it counts in the chain. The end of a step is written out, because there is one for every step. */
function formOf(event: Event): string {
  if (event.kind !== "step.completed" || event.signal !== undefined || event.output.kind !== "inline") {
    return JSON.stringify(chainForm(event, hashOf));
  }
  const { v, seq, at, kind, step, output } = event;
  return `{"v":${v},"seq":${seq},"at":${at},"kind":"${kind}","step":${step},"output":"${hashOf(output.json)}"}`;
}

function linkOf(text: string): string {
  return hash("sha256", text, "base64url");
}

const NULL_HASH = hashOfText("null");

export function hashOf(json: Json): ContentHash {
  return json === null ? NULL_HASH : hashOfText(JSON.stringify(json));
}

function hashOfText(text: string): ContentHash {
  return contentHash(`sha256:${hash("sha256", text, "hex")}`);
}

/** The event with its large values named instead of written. */
function slimmed(object: JsonObject, values: Content[]): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, field]) => [key, slimField(field, values)]));
}

function slimField(field: Json, values: Content[]): Json {
  if (!isJsonObject(field)) return field;
  if (field["kind"] === "inline") return store(field["json"] ?? null, values) as unknown as Json;
  // What a step opened into holds a value of its own: the items, or the input.
  if (field["kind"] === "items" || field["kind"] === "workflow") return slimmed(field, values);
  return field;
}

function store(json: Json, values: Content[]): Value {
  const body = JSON.stringify(json);
  const bytes = Buffer.byteLength(body);
  if (bytes <= INLINE_BYTES_MAX) return { kind: "inline", json };
  const stored = hashOfText(body);
  values.push({ hash: stored, body });
  return { kind: "stored", hash: stored, bytes };
}
