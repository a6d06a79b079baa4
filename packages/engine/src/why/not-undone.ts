// Describes in one line which steps an execution could not undo (FAIL-8).

import type { NotUndoneStep } from "@segno/kernel";

/** The line names at most this many; `status()` has them all. */
const NAMES_MAX = 5;

/** ``1 of 3 could not be undone: `car` (the host is closed)``; without the 3 if the total is not known. */
export function notUndoneText(steps: readonly NotUndoneStep[], count?: number): string {
  const named = steps.slice(0, NAMES_MAX).map(({ step, failure }) => `\`${step}\` (${firstLine(failure.message)})`);
  const more = steps.length > named.length ? `, and ${steps.length - named.length} more` : "";
  const countText = count === undefined ? `${steps.length}` : `${steps.length} of ${count}`;
  return `${countText} could not be undone: ${named.join(", ")}${more}`;
}

function firstLine(message: string): string {
  return message.trim().split(/[\r\n]/u, 1)[0]!;
}
