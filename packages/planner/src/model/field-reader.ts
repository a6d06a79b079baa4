// Field reader
//
// Job: read the fields that somebody wrote for a model, one after the other, and note every problem.
//
//   F1. A field that is absent, or undefined, takes its default; null is a value, and only some fields take it.
//   F2. Each field is read once: what a getter says the second time does not count.
//   F3. What is given back where a problem was noted is never used: the factory throws before anybody sees it.

import { closest, type Json } from "@segno/kernel";
import { anyJson, wrongType, type Check } from "./check.ts";
import type { ProblemPath } from "./problem-path.ts";

/** What stands for a field whose getter throws. */
const UNREADABLE: unique symbol = Symbol("unreadable");

export class FieldReader {
  readonly #place: ProblemPath;
  readonly #fields: Readonly<Record<string, unknown>> | undefined;

  constructor(fields: unknown, place: ProblemPath) {
    this.#place = place;
    this.#fields = isFields(fields) ? fields : wrongType(place, "an object with fields", fields);
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

  or<Value>(name: string, check: Check<Value>, fallback: Value): Value {
    return this.optional(name, check) ?? fallback;
  }

  orNull<Value>(name: string, check: Check<Value>): Value | null {
    const value = this.#read(name);
    return value === undefined || value === null ? null : (this.#check(name, value, check) as Value);
  }

  /** For what is reserved: any JSON, null too, is kept as it was written (ruling 57). */
  readOrKeep(name: string, fallback: Json): Json {
    const value = this.#read(name);
    return value === undefined ? fallback : (this.#check(name, value, anyJson) as Json);
  }

  /** What a source makes passes the same check as what somebody wrote. */
  orMade<Value>(name: string, check: Check<Value>, make: () => unknown): Value {
    const value = this.#read(name);
    return this.#check(name, value === undefined ? make() : value, check) as Value;
  }

  /** Whatever else is there, each under its own name. */
  others<Value>(known: ReadonlySet<string>, check: Check<Value>): Readonly<Record<string, Value>> {
    const names = Object.keys(this.#fields ?? {}).filter((name) => !known.has(name));
    return Object.fromEntries(names.map((name) => [name, this.required(name, check)]));
  }

  refuseOthers(known: ReadonlySet<string>, names: Iterable<string> = Object.keys(this.#fields ?? {})): void {
    for (const name of names) {
      if (!known.has(name)) this.#place.at(name).report("unknown-field", unknownText(name, known));
    }
  }

  #read(name: string): unknown {
    try {
      return this.#fields?.[name];
    } catch {
      return UNREADABLE;
    }
  }

  /** Where there are no fields at all, that is the one problem. */
  #missing(name: string): undefined {
    return this.#fields === undefined ? undefined : this.#place.at(name).report("missing", "is required");
  }

  #check<Value>(name: string, value: unknown, check: Check<Value>): Value | undefined {
    const place = this.#place.at(name);
    return value === UNREADABLE ? place.report("wrong-type", "cannot be read") : check(value, place);
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownText(name: string, known: ReadonlySet<string>): string {
  const near = closest(name, known);
  return near === undefined ? "there is no such field" : `there is no such field; did you mean \`${near}\`?`;
}
