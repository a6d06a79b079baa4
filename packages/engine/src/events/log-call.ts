// What a log method was called with, as fields and a message. Loggers differ in what comes first, and programs in plain
// JavaScript give anything.
//
//   C1. Total: nothing that is given makes it throw.
//   C2. Nothing that is given is lost, and no text is taken apart into characters.

import type { LogFields } from "./logger.ts";

export interface LogCall {
  /** As they were given: reading them may throw, and they may hold anything (`plain-fields.ts`). */
  readonly fields: LogFields;
  readonly message: string;
}

export const NO_FIELDS: LogFields = Object.freeze({});

/** `("text")`, `("text", fields)`, `(fields, "text")`, `(fields)`, `(error)`; what else comes is kept under `more`. */
export function logCall(given: readonly unknown[]): LogCall {
  const [first, second, ...more] = given;
  if (given.length === 1 && typeof first === "string") return { fields: NO_FIELDS, message: first };
  if (typeof first === "string") return { fields: withMore(toLogFields(second), more), message: first };
  if (isText(second)) return { fields: withMore(toLogFields(first), more), message: String(second) };
  return { fields: withMore(toLogFields(first), given.slice(1)), message: messageIn(first) };
}

/** Whether it can be a message: a text, or what has one way to be written. */
function isText(value: unknown): value is string | number | bigint | boolean | symbol {
  return value !== undefined && value !== null && typeof value !== "object" && typeof value !== "function";
}

/** A value that has no names gets one. */
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

/** A proxy may refuse even this question. */
function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function withMore(fields: LogFields, more: readonly unknown[]): LogFields {
  if (more.every((each) => each === undefined)) return fields;
  try {
    return { ...fields, more };
  } catch {
    return { fields, more };
  }
}

/** An error brings its own. */
function messageIn(fields: unknown): string {
  try {
    const message: unknown = isError(fields) ? fields.message : "";
    return isText(message) ? String(message) : "";
  } catch {
    return "[unreadable]";
  }
}
