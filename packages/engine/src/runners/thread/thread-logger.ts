// The logger that a function on a thread gets: its lines are written by the calling thread.

import type { LogFields, Logger, LogLevel, LogLine } from "../../events/logger.ts";
import type { ThreadLine } from "./thread-message.ts";

type Given = readonly [string] | readonly [LogFields, string];

export function threadLogger(write: (line: ThreadLine) => void, common: LogFields = {}): Logger {
  const line = (level: LogLevel): LogLine => {
    return (...given: Given) => write({ kind: "line", level, ...contentOf(common, given) });
  };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    child: (fields) => threadLogger(write, { ...common, ...fields }),
  };
}

/** A log line never harms whoever writes it: what cannot cross is written as text, what cannot be read is left out. */
function contentOf(common: LogFields, given: Given): Pick<ThreadLine, "fields" | "message"> {
  const [fields, message] = given.length === 1 ? [{}, given[0]] : given;
  const names = [...new Set([common, fields].flatMap(namesOf))];
  const crossing = names.map((name) => [name, crossed(namesOf(fields).includes(name) ? fields : common, name)]);
  return { fields: Object.fromEntries(crossing), message: typeof message === "string" ? message : textOf(message) };
}

function namesOf(fields: LogFields): readonly string[] {
  try {
    return Object.keys(fields);
  } catch {
    return [];
  }
}

function crossed(fields: LogFields, name: string): unknown {
  try {
    return cloneOrText(fields[name]);
  } catch {
    return "[unreadable]";
  }
}

function cloneOrText(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return textOf(value);
  }
}

function textOf(value: unknown): string {
  // Clones can be made of everything but functions and symbols, and of what holds them.
  return typeof value === "function" || typeof value === "symbol"
    ? String(value)
    : Object.prototype.toString.call(value);
}
