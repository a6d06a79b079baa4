// Converts the arguments of a log method into fields and a message. Loggers differ in the order of arguments, and plain
// JavaScript may pass any value.
//
//   C1. Total: no argument makes it throw.
//   C2. No argument is lost, and no string is split into characters.

import type { LogFields } from "./logger.ts";

export interface LogCall {
  /** The original fields: reading them may throw, and they may hold any value (`plain-fields.ts`). */
  readonly fields: LogFields;
  readonly message: string;
}

export const NO_FIELDS: LogFields = Object.freeze({});

/**
 * `("text")`, `("text", fields)`, `(fields, "text")`, `(fields)`, `(error)`; further arguments are kept under `more`.
 */
export function logCall(given: readonly unknown[]): LogCall {
  const [first, second, ...more] = given;
  if (given.length === 1 && typeof first === "string") return { fields: NO_FIELDS, message: first };
  if (typeof first === "string") return { fields: withArguments(toLogFields(second), more), message: first };
  if (isText(second)) return { fields: withArguments(toLogFields(first), more), message: String(second) };
  return { fields: withArguments(toLogFields(first), given.slice(1)), message: messageIn(first) };
}

/** Whether the value can be a message: a string, or another primitive with a canonical text. */
function isText(value: unknown): value is string | number | bigint | boolean | symbol {
  return value !== undefined && value !== null && typeof value !== "object" && typeof value !== "function";
}

/** Wraps a value that is not an object in a named field. */
export function toLogFields(given: unknown): LogFields {
  if (given === undefined || given === null) return NO_FIELDS;
  if (isError(given)) return { error: given };
  return hasNames(given) ? (given as LogFields) : { value: given };
}

function hasNames(value: unknown): boolean {
  try {
    return typeof value === "object" && !Array.isArray(value) && !ArrayBuffer.isView(value);
  } catch {
    return false;
  }
}

/** A proxy may throw even here. */
function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function withArguments(fields: LogFields, more: readonly unknown[]): LogFields {
  if (more.every((each) => each === undefined)) return fields;
  try {
    return { ...fields, more };
  } catch {
    return { fields, more };
  }
}

/** An error provides its own message. */
function messageIn(fields: unknown): string {
  try {
    const message: unknown = isError(fields) ? fields.message : "";
    return isText(message) ? String(message) : "";
  } catch {
    return "[unreadable]";
  }
}
