// Converts zod's issues into problems that say what was expected and what was found (CONTRACT-3).
//
//   Z1. One problem for each unknown key, at the key.
//   Z2. For a union, the problems of the branch are reported that fits the value's type; of several, the one that knows most of the
//       value's keys. If no branch fits, the union itself is reported.
//   Z3. One problem for each path: the first phrase describes the whole expected value.

import { closest, type Json, type JsonPath } from "@segno/kernel";
import { quoteText } from "@segno/kernel/describe-value";
import type { z } from "zod";

import { describeValue } from "../text/describe-value.ts";
import type { DocumentErrorCode } from "../errors/error-codes.ts";
import { valueAt } from "../json/value-at.ts";
import type { DocumentProblems } from "./document-problems.ts";
import { keyHint, suggestKey } from "./key-suggestion.ts";
import { plannedKey } from "./planned-keys.ts";
import { listInText } from "./repairs.ts";

type Issue = z.core.$ZodIssue;

export function shapeProblems(model: z.ZodType, document: Json, problems: DocumentProblems): void {
  const parsed = model.safeParse(document);
  if (parsed.success) return;
  const translation = new IssueTranslation(document, problems);
  for (const issue of parsed.error.issues) translation.translate(issue, []);
}

class IssueTranslation {
  readonly #document: Json;
  readonly #problems: DocumentProblems;
  readonly #reported = new Set<string>();

  constructor(document: Json, problems: DocumentProblems) {
    this.#document = document;
    this.#problems = problems;
  }

  translate(issue: Issue, base: JsonPath): void {
    const path: JsonPath = [...base, ...(issue.path as (string | number)[])];
    if (issue.code === "unrecognized_keys") this.#unknownKeys(issue, path);
    else if (issue.code === "invalid_key") this.#badKey(issue, path);
    else if (issue.code === "invalid_union") this.#union(issue, path);
    else this.#report(issue, path);
  }

  #unknownKeys(issue: z.core.$ZodIssueUnrecognizedKeys, path: JsonPath): void {
    const known = issue.message.split(" ");
    for (const key of issue.keys) this.#unknownKey([...path, key], key, known);
  }

  #unknownKey(path: JsonPath, key: string, known: readonly string[]): void {
    const soFar = plannedKey(path, known);
    if (soFar !== undefined) {
      this.#problems.addAtKey(
        "KEY_PLANNED",
        path,
        `\`${key}\` is planned but not implemented: so far ${soFar}`,
        "remove it",
      );
      return;
    }
    const hint = known.includes("steps") || known.includes("dependsOn") ? keyHint(key) : undefined;
    if (hint !== undefined) {
      this.#problems.addAtKey("UNKNOWN_KEY", path, `expected no key ${quoteText(key)} here`, hint);
      return;
    }
    const meant = suggestKey(key, known);
    const keys = meant === undefined ? `; the keys are ${known.join(", ")}` : "";
    this.#problems.addUnknownKey(path, `expected no key ${quoteText(key)} here${keys}`, meant);
  }

  #badKey(issue: z.core.$ZodIssueInvalidKey, path: JsonPath): void {
    const expected = issue.issues[0]?.message ?? issue.message;
    this.#problems.addAtKey("KEY_INVALID", path, `expected ${expected}, found ${quoteText(String(path.at(-1)))}`);
  }

  #union(issue: z.core.$ZodIssueInvalidUnion, path: JsonPath): void {
    const [fitting] = issue.errors
      .filter((issues) => !issues.some(isAnotherType))
      .toSorted((a, b) => unknownKeys(a) - unknownKeys(b));
    if (fitting === undefined) return this.#report(issue, path);
    for (const each of fitting) this.translate(each, path);
  }

  #report(issue: Issue, path: JsonPath): void {
    const key = path.join("\u0000");
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    const value = valueAt(this.#document, path);
    if (value === undefined) {
      this.#problems.add("MISSING_KEY", path, `\`${path.at(-1)}\` is missing: expected ${issue.message}`);
      return;
    }
    this.#problems.add(
      issueCode(issue),
      path,
      `expected ${issue.message}, found ${describeValue(value)}`,
      hintFor(issue, value, path.at(-1)),
    );
  }
}

/** The number of keys of a value that a branch does not know. */
function unknownKeys(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.path.length > 0) return sum;
    if (issue.code === "invalid_union") return sum + (issue.errors.map(unknownKeys).toSorted((a, b) => a - b)[0] ?? 0);
    return issue.code === "unrecognized_keys" ? sum + issue.keys.length : sum;
  }, 0);
}

function isAnotherType(issue: Issue): boolean {
  return issue.path.length === 0 && issue.code === "invalid_type";
}

function issueCode(issue: Issue): DocumentErrorCode {
  if (issue.code === "too_big" || issue.code === "too_small") return "OUT_OF_RANGE";
  return issue.code === "invalid_type" || issue.code === "invalid_union" ? "WRONG_TYPE" : "WRONG_VALUE";
}

/** The keys of lists whose items are plain text. */
const LISTS_OF_TEXT: ReadonlySet<string> = new Set(["dependsOn", "secrets", "readOnly", "private", "by", "on"]);

/** Keys whose text is an expression. */
const EXPRESSIONS: ReadonlySet<string> = new Set(["when", "select"]);

function hintFor(issue: Issue, value: Json, key: JsonPath[number] | undefined): string | undefined {
  if (issue.code === "invalid_value" && typeof value === "string") {
    const near = closest(value, issue.values.map(String));
    return near === undefined ? undefined : `did you mean \`${near}\`?`;
  }
  if (LISTS_OF_TEXT.has(String(key))) {
    const items = listInText(value);
    if (items !== undefined) return `write \`[${items.join(", ")}]\``;
  }
  const wantsText = issue.code === "invalid_type" && issue.expected === "string";
  if (!wantsText || (typeof value !== "number" && typeof value !== "boolean")) return undefined;
  return EXPRESSIONS.has(String(key)) ? constantHint(key, value) : "write it in quotes";
}

/** A constant cannot simply be quoted: in an expression, `true` without backticks is the name of a field. */
function constantHint(key: JsonPath[number] | undefined, value: number | boolean): string {
  if (key === "when" && value === true) return "remove it: a step without `when` always runs";
  if (key === "when" && value === false) return "write `enabled: false` instead";
  return "write an expression in quotes; write a constant in backticks";
}
