// Reads a message of a worker thread as data of user code (MG4). A clone has neither getters nor methods, so reading its
// fields is safe; only their types are unknown.

import { checkProgress } from "../../agents/progress.ts";
import type { LogLevel } from "../../events/logger.ts";
import type {
  AgentResult,
  CallValue,
  MessageFromThread,
  RefusalReason,
  ThreadCall,
  ThreadLine,
} from "./thread-message.ts";
import { readThrown } from "./thrown.ts";

type MessageFields = Readonly<Record<string, unknown>>;

const LEVELS: ReadonlySet<unknown> = new Set<LogLevel>(["debug", "info", "warn", "error"]);

/** The message; undefined if it is not one. */
export function readMessage(message: unknown): MessageFromThread | undefined {
  if (!isFields(message)) return undefined;
  switch (message["kind"]) {
    case "heartbeat":
      return { kind: "heartbeat" };
    case "progress":
      return readProgress(message["progress"]);
    case "line":
      return readLine(message);
    case "chunk":
      return readChunk(message);
    case "call-find":
    case "call-record":
      return readCall(message);
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

/** Checks the numbers again, because user code shares the thread. */
function readProgress(progress: unknown): MessageFromThread | undefined {
  if (!isFields(progress)) return undefined;
  const { fraction, ...counts } = progress;
  try {
    return { kind: "progress", progress: checkProgress("done" in counts ? counts : fraction) };
  } catch {
    return undefined;
  }
}

function readLine({ level, fields, message }: MessageFields): ThreadLine | undefined {
  if (!LEVELS.has(level) || !isFields(fields) || typeof message !== "string") return undefined;
  return { kind: "line", level: level as LogLevel, fields, message };
}

/** Shared memory could change after it was masked. */
function readChunk({ stream, chunk }: MessageFields): MessageFromThread | undefined {
  const isStream = stream === "stdout" || stream === "stderr";
  if (!isStream || !(chunk instanceof Uint8Array) || !(chunk.buffer instanceof ArrayBuffer)) return undefined;
  return { kind: "chunk", stream, chunk: chunk as Uint8Array<ArrayBuffer> };
}

function readCall({ kind, id, name, value }: MessageFields): ThreadCall | undefined {
  if (!Number.isSafeInteger(id)) return undefined;
  if (kind === "call-find") return typeof name === "string" ? { kind, id: id as number, name } : undefined;
  const read = readResult(value);
  return isCallValue(read) ? { kind: "call-record", id: id as number, value: read } : undefined;
}

function isCallValue(read: AgentResult | undefined): read is CallValue {
  return read?.kind === "returned" || (read?.kind === "refused" && read.value === "returned");
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
      if (read === undefined) return undefined;
      if (value === "expanded") return { kind, value, reason: read };
      return value === "returned" ? { kind, value, reason: read } : undefined;
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

function isFields(value: unknown): value is MessageFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
