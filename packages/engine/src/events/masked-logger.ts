// A logger through which no secret passes: not in a message, not in a field, not in the stack of an error (DATA-9).

import { LOG_LEVELS, type LogFields, type Logger, type LogLevel, type LogLine } from "./logger.ts";

/** The part of a masker that is needed here. */
export interface TextMask {
  readonly isIdle: boolean;
  text(text: string): string;
}

export function maskedLogger(logger: Logger, mask: TextMask): Logger {
  const line = (level: LogLevel): LogLine => {
    return (...given: readonly [string] | readonly [LogFields, string]) => {
      if (given.length === 1) return logger[level](mask.text(given[0]));
      return logger[level](maskedFields(given[0], mask), mask.text(given[1]));
    };
  };
  const lines = Object.fromEntries(LOG_LEVELS.map((level) => [level, line(level)])) as Record<LogLevel, LogLine>;
  return { ...lines, child: (fields) => maskedLogger(logger.child(maskedFields(fields, mask)), mask) };
}

function maskedFields(fields: LogFields, mask: TextMask): LogFields {
  if (mask.isIdle) return fields;
  return maskedField(fields, mask, new Set()) as LogFields;
}

/** A copy: a logger that looks at a field in its own way would find what another way of looking did not. */
function maskedField(value: unknown, mask: TextMask, above: ReadonlySet<object>): unknown {
  if (typeof value === "string") return mask.text(value);
  if (typeof value === "bigint" || typeof value === "number") return maskedNumber(value, mask);
  if (typeof value !== "object" || value === null) return typeof value === "symbol" ? mask.text(String(value)) : value;
  if (above.has(value) || above.size >= DEPTH_MAX) return "[further down]";
  try {
    return maskedObject(value, mask, new Set([...above, value]));
  } catch {
    return "[unreadable]";
  }
}

const DEPTH_MAX = 16;

function maskedNumber(value: number | bigint, mask: TextMask): unknown {
  const text = String(value);
  const masked = mask.text(text);
  return masked === text ? value : masked;
}

function maskedObject(value: object, mask: TextMask, above: ReadonlySet<object>): unknown {
  const inside = (each: unknown): unknown => maskedField(each, mask, above);
  if (value instanceof Error) return maskedError(value, mask, above);
  if (value instanceof Date) return value;
  if (Array.isArray(value) || value instanceof Set) return Array.from(value as Iterable<unknown>, inside);
  if (value instanceof Map) return maskedEntries([...value], mask, inside);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if ("toJSON" in value && typeof value.toJSON === "function") return inside(value.toJSON());
  return maskedEntries(Object.entries(value), mask, inside);
}

function maskedEntries(
  entries: readonly (readonly [unknown, unknown])[],
  mask: TextMask,
  inside: (value: unknown) => unknown,
): unknown {
  return Object.fromEntries(entries.map(([key, value]) => [mask.text(String(key)), inside(value)]));
}

function maskedError(error: Error, mask: TextMask, above: ReadonlySet<object>): unknown {
  const { name, message, stack = "", cause } = error;
  const more = Object.entries(error).filter(([key]) => key !== "cause");
  const inside = (each: unknown): unknown => maskedField(each, mask, above);
  return {
    name: mask.text(name),
    message: mask.text(message),
    stack: mask.text(stack),
    ...(maskedEntries(more, mask, inside) as object),
    ...(cause === undefined ? {} : { cause: inside(cause) }),
  };
}
