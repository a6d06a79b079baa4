// Events that an agent reports on its standard output.
//
// A line is one of: a JSON object with `"segno": 1`, which is an event of our own contract; a line in the format of a known
// program, which its preset reads; or text for the log. A line that cannot be read is text, never an error.

import type { Json, JsonObject } from "@segno/kernel";

/** The tokens and the cost that an agent has reported. */
export interface AgentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
}

export type AgentEvent =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "progress"; readonly text: string }
  | { readonly kind: "tool"; readonly name: string }
  | { readonly kind: "session"; readonly sessionId: string }
  | { readonly kind: "usage"; readonly usage: AgentUsage }
  | { readonly kind: "result"; readonly result: ReportedResult };

/** The statuses that an agent can report itself. */
export type AgentStatus = "succeeded" | "failed" | "no_changes" | "needs_input" | "rate_limited";

const STATUSES: readonly AgentStatus[] = ["succeeded", "failed", "no_changes", "needs_input", "rate_limited"];

/** The result that an agent reports, in an event or in its result file. It decides how the attempt ended, never a merge. */
export interface ReportedResult {
  readonly status: AgentStatus;
  readonly summary?: string;
  readonly commitMessage?: string;
  readonly question?: string;
  /** When a limit of its provider ends. */
  readonly retryAfterMs?: number;
  readonly sessionId?: string;
  readonly usage?: AgentUsage;
}

/** Reads the lines of a program; undefined for a line that it does not know. */
export type LineReader = (line: JsonObject) => readonly AgentEvent[] | undefined;

const NATIVE_KEY = "segno";
const NATIVE_VERSION = 1;

export function readLine(line: string, readPreset: LineReader | undefined): readonly AgentEvent[] {
  const value = parseObject(line);
  if (value === undefined) return line.trim() === "" ? [] : [{ kind: "message", text: line }];
  const events = value[NATIVE_KEY] === NATIVE_VERSION ? readNative(value) : readPreset?.(value);
  return events ?? [{ kind: "message", text: line }];
}

/** Whether a line claims to be an event of our contract. */
export function isEventLine(line: string): boolean {
  return Object.hasOwn(parseObject(line) ?? {}, NATIVE_KEY);
}

/** Why a line that claims to be an event of our contract is not one; undefined for any other line. */
export function eventProblem(line: string): string | undefined {
  const value = parseObject(line);
  if (value === undefined || !Object.hasOwn(value, NATIVE_KEY)) return undefined;
  if (value[NATIVE_KEY] !== NATIVE_VERSION) return `its version is not ${NATIVE_VERSION}`;
  if (readNative(value) === undefined) return "its `type` is not known, or a field that the type needs is missing";
  return unreadField(value);
}

/** Such fields are left out when an event is read, so the agent would not notice. */
function unreadField(event: JsonObject): string | undefined {
  const amounts = event["type"] === "usage" ? event : isObject(event["usage"]) ? event["usage"] : {};
  for (const key of ["inputTokens", "outputTokens", "costUsd"])
    if (amounts[key] !== undefined && !isAmount(amounts[key])) return `\`${key}\` is not an amount`;
  if (event["type"] !== "result") return undefined;
  if (event["retryAfter"] !== undefined && !isAmount(event["retryAfter"])) return "`retryAfter` is not an amount";
  const texts = ["summary", "commitMessage", "question", "sessionId"];
  const wrong = texts.find((key) => event[key] !== undefined && typeof event[key] !== "string");
  return wrong === undefined ? undefined : `\`${wrong}\` is not a text`;
}

function readNative(event: JsonObject): readonly AgentEvent[] | undefined {
  switch (event["type"]) {
    case "message":
    case "progress":
      return typeof event["text"] === "string" ? [{ kind: event["type"], text: event["text"] }] : undefined;
    case "tool":
      return typeof event["name"] === "string" ? [{ kind: "tool", name: event["name"] }] : undefined;
    case "session":
      return typeof event["sessionId"] === "string" ? [{ kind: "session", sessionId: event["sessionId"] }] : undefined;
    case "usage":
      return [{ kind: "usage", usage: readUsage(event) }];
    case "result": {
      const result = readResult(event);
      return result === undefined ? undefined : [{ kind: "result", result }];
    }
    default:
      return undefined;
  }
}

/** Reads a result event or the result file; undefined if it has no valid status. Other invalid fields are left out. */
export function readResult(value: Json | undefined): ReportedResult | undefined {
  if (!isObject(value)) return undefined;
  const status = STATUSES.find((each) => each === value["status"]);
  if (status === undefined) return undefined;
  const retryAfter = value["retryAfter"];
  return {
    status,
    ...textField(value, "summary"),
    ...textField(value, "commitMessage"),
    ...textField(value, "question"),
    ...textField(value, "sessionId"),
    ...(isAmount(retryAfter) ? { retryAfterMs: retryAfter * 1000 } : {}),
    ...(isObject(value["usage"]) ? { usage: readUsage(value["usage"]) } : {}),
  };
}

function readUsage(value: JsonObject): AgentUsage {
  const usage: { -readonly [Key in keyof AgentUsage]: AgentUsage[Key] } = {};
  for (const key of ["inputTokens", "outputTokens", "costUsd"] as const) {
    const amount = value[key];
    if (isAmount(amount)) usage[key] = amount;
  }
  return usage;
}

export function addUsage(left: AgentUsage, right: AgentUsage): AgentUsage {
  const sum: { -readonly [Key in keyof AgentUsage]: AgentUsage[Key] } = { ...left };
  for (const key of ["inputTokens", "outputTokens", "costUsd"] as const)
    if (right[key] !== undefined) sum[key] = (left[key] ?? 0) + right[key];
  return sum;
}

/** Field by field the larger amount: a result reports the total, and events before it may have reported parts of it. */
export function largerUsage(left: AgentUsage, right: AgentUsage): AgentUsage {
  const larger: { -readonly [Key in keyof AgentUsage]: AgentUsage[Key] } = { ...left };
  for (const key of ["inputTokens", "outputTokens", "costUsd"] as const)
    if (right[key] !== undefined) larger[key] = Math.max(left[key] ?? 0, right[key]);
  return larger;
}

/** A result as it may be kept: its texts without secrets (DATA-9). */
export function maskResult(
  result: ReportedResult,
  maskText: (text: string) => string = (text) => text,
): ReportedResult {
  const masked: { -readonly [Key in keyof ReportedResult]: ReportedResult[Key] } = { ...result };
  for (const key of ["summary", "commitMessage", "question"] as const)
    if (result[key] !== undefined) masked[key] = maskText(result[key]);
  return masked;
}

function textField<Key extends string>(value: JsonObject, key: Key): { readonly [Name in Key]?: string } {
  const text = value[key];
  return (typeof text === "string" ? { [key]: text } : {}) as { readonly [Name in Key]?: string };
}

export function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseObject(line: string): JsonObject | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const value = JSON.parse(line) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
