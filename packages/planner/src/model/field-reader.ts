// Field reader
//
// Job: read the fields of a model one after the other, and record every problem.
//
//   F1. A field that is absent, or undefined, takes its default; null is a value, and only some fields take it.
//   F2. Each field is read once, because a getter may return another value the second time.
//   F3. A value that is returned after a problem was recorded is never used: the factory throws first.

import { closest, type Json } from "@segno/kernel";
import { anyJson, wrongType, type Check } from "./check.ts";
import type { ProblemPath } from "./problem-path.ts";

/** Stands for the value of a field whose getter throws. */
const UNREADABLE: unique symbol = Symbol("unreadable");

export class FieldReader {
  readonly #path: ProblemPath;
  readonly #fields: Readonly<Record<string, unknown>> | undefined;

  constructor(fields: unknown, path: ProblemPath) {
    this.#path = path;
    this.#fields = isFields(fields) ? fields : wrongType(path, "an object with fields", fields);
  }

  required<Value>(name: string, check: Check<Value>): Value {
    const value = this.#read(name);
    if (value === undefined) return this.#missing(name) as Value;
    return this.#check(name, value, check) as Value;
  }

  optional<Value>(name: string, check: Check<Value>): Value | undefined {
    const value = this.#read(name);
    return value === undefined ? undefined : this.#check(name, value, check);
  }

  withDefault<Value>(name: string, check: Check<Value>, fallback: Value): Value {
    return this.optional(name, check) ?? fallback;
  }

  orNull<Value>(name: string, check: Check<Value>): Value | null {
    const value = this.#read(name);
    return value === undefined || value === null ? null : (this.#check(name, value, check) as Value);
  }

  /** For reserved fields: keeps any JSON as it was written, null included (ruling 57). */
  readOrKeep(name: string, fallback: Json): Json {
    const value = this.#read(name);
    return value === undefined ? fallback : (this.#check(name, value, anyJson) as Json);
  }

  /** A generated value passes the same check as a given one. */
  withGenerated<Value>(name: string, check: Check<Value>, make: () => unknown): Value {
    const value = this.#read(name);
    return this.#check(name, value === undefined ? make() : value, check) as Value;
  }

  /** Reads all other fields, each under its own name. */
  others<Value>(known: ReadonlySet<string>, check: Check<Value>): Readonly<Record<string, Value>> {
    const names = Object.keys(this.#fields ?? {}).filter((name) => !known.has(name));
    return Object.fromEntries(names.map((name) => [name, this.required(name, check)]));
  }

  refuseOthers(known: ReadonlySet<string>, names: Iterable<string> = Object.keys(this.#fields ?? {})): void {
    for (const name of names) {
      if (!known.has(name)) this.#path.at(name).report("unknown-field", unknownText(name, known));
    }
  }

  #read(name: string): unknown {
    try {
      return this.#fields?.[name];
    } catch {
      return UNREADABLE;
    }
  }

  /** If the given value is not an object with fields, that is the only problem. */
  #missing(name: string): undefined {
    return this.#fields === undefined ? undefined : this.#path.at(name).report("missing", "is required");
  }

  #check<Value>(name: string, value: unknown, check: Check<Value>): Value | undefined {
    const path = this.#path.at(name);
    return value === UNREADABLE ? path.report("wrong-type", "cannot be read") : check(value, path);
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownText(name: string, known: ReadonlySet<string>): string {
  const near = closest(name, known);
  return near === undefined ? "there is no such field" : `there is no such field; did you mean \`${near}\`?`;
}
