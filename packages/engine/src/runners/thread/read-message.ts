// Reads a message of a worker thread as data of user code (MG4). A clone has neither getters nor methods, so reading its
// fields is safe; only their types are unknown.

import type { LogFields, LogLevel } from "../../events/logger.ts";
import type { AgentResult, MessageFromThread, RefusalReason, ThreadLine } from "./thread-message.ts";
import { readThrown } from "./thrown.ts";

type Fields = Readonly<Record<string, unknown>>;

const LEVELS: ReadonlySet<unknown> = new Set<LogLevel>(["debug", "info", "warn", "error"]);

/** The message; undefined if it is not one. */
export function readMessage(message: unknown): MessageFromThread | undefined {
  if (!isFields(message)) return undefined;
  switch (message["kind"]) {
    case "heartbeat":
      return { kind: "heartbeat" };
    case "line":
      return readLine(message);
    case "chunk":
      return readChunk(message);
    case "completed": {
      const result = readResult(message["result"]);
      return result === undefined ? undefined : { kind: "completed", result, isBroken: message["isBroken"] === true };
    }
    case "broken": {
      const error = readThrown(message["error"]);
      return error === undefined ? undefined : { kind: "broken", error };
    }
    default:
      return undefined;
  }
}

function readLine({ level, fields, message }: Fields): ThreadLine | undefined {
  if (!LEVELS.has(level) || !isFields(fields) || typeof message !== "string") return undefined;
  return { kind: "line", level: level as LogLevel, fields: fields as LogFields, message };
}

/** Shared memory could change after it was masked. */
function readChunk({ stream, chunk }: Fields): MessageFromThread | undefined {
  const isStream = stream === "stdout" || stream === "stderr";
  if (!isStream || !(chunk instanceof Uint8Array) || !(chunk.buffer instanceof ArrayBuffer)) return undefined;
  return { kind: "chunk", stream, chunk: chunk as Uint8Array<ArrayBuffer> };
}

function readResult(result: unknown): AgentResult | undefined {
  if (!isFields(result)) return undefined;
  const { kind, text, reason, value, error } = result;
  switch (kind) {
    case "returned":
    case "expanded":
      return typeof text === "string" ? { kind, text } : undefined;
    case "skipped":
      return typeof reason === "string" ? { kind, reason } : undefined;
    case "refused": {
      const read = readReason(reason);
      const isKnown = value === "returned" || value === "expanded";
      return isKnown && read !== undefined ? { kind, value, reason: read } : undefined;
    }
    case "threw": {
      const thrown = readThrown(error);
      return thrown === undefined ? undefined : { kind, error: thrown };
    }
    default:
      return undefined;
  }
}

function readReason(reason: unknown): RefusalReason | undefined {
  if (!isFields(reason)) return undefined;
  const { kind, path, found, bytes } = reason;
  if (kind === "unreadable") return { kind };
  if (kind === "not-json")
    return typeof path === "string" && typeof found === "string" ? { kind, path, found } : undefined;
  if (kind !== "too-large") return undefined;
  return Number.isSafeInteger(bytes) ? { kind, bytes: bytes as number } : { kind };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
