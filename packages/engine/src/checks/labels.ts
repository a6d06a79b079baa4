// ExecutionLabels: names and values that a start sets, and by which a list finds the execution.
//
// A store keeps them as one text, because it searches by whole labels only: a line for each label, sorted by name, with a
// line break before the first and after the last one.

import { SegnoError, type ExecutionLabels } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import { isObject } from "./option-rules.ts";

const NAME = /^[A-Za-z0-9][\w./-]{0,62}$/u;
const VALUE_MAX = 256;
const LABELS_MAX = 32;

/** A copy of valid labels; undefined if there are none. Plain JavaScript may pass any value. */
export function checkLabels(labels: unknown): ExecutionLabels | undefined {
  if (labels === undefined) return undefined;
  if (!isObject(labels)) throw invalidLabels(`\`labels\` is an object of texts, not ${describeValue(labels)}`);
  const entries = Object.entries(labels);
  if (entries.length > LABELS_MAX)
    throw invalidLabels(`an execution has at most ${LABELS_MAX} labels, not ${entries.length}`);
  for (const [name, value] of entries) checkLabel(name, value);
  return entries.length === 0 ? undefined : Object.freeze(Object.fromEntries(entries.toSorted(byName)));
}

function checkLabel(name: string, value: unknown): void {
  if (!NAME.test(name))
    throw invalidLabels(
      `the name of a label has 1 to 63 letters, digits, \`_\`, \`.\`, \`/\` and \`-\`, and ${describeValue(name)} does not match`,
    );
  if (isLabelValue(value)) return;
  throw invalidLabels(
    `the value of the label \`${name}\` is text of at most ${VALUE_MAX} characters without control characters, not ${describeValue(value)}`,
  );
}

function isLabelValue(value: unknown): value is string {
  if (typeof value !== "string" || value.length > VALUE_MAX || !value.isWellFormed()) return false;
  return !/\p{Cc}/u.test(value);
}

function invalidLabels(message: string): SegnoError {
  return new SegnoError("LABEL_INVALID", message);
}

/** Whether labels of a posted start are valid. */
export function areLabels(labels: unknown): boolean {
  try {
    checkLabels(labels);
    return true;
  } catch {
    return false;
  }
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The labels as a store keeps them; undefined without labels. */
export function labelsText(labels: ExecutionLabels | undefined): string | undefined {
  if (labels === undefined) return undefined;
  return `\n${Object.entries(labels)
    .toSorted(byName)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("")}`;
}

/** The labels that a store keeps as this text. */
export function readLabels(text: string): ExecutionLabels {
  const lines = text.split("\n").filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf("=");
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
}

/** One label as it is in the text of a store. */
export function labelLine(name: string, value: string): string {
  return `\n${name}=${value}\n`;
}
