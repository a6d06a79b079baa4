// A failure with its code, its message and the chain of its causes.

import type { Failure } from "@segno/kernel";

import { failureText } from "../progress/failure-text.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeLines, safeText } from "../terminal/safe-text.ts";

const MESSAGE_LINES_MAX = 12;
/** A chain is bounded when it is recorded; the report does not rely on it. */
const CAUSES_MAX = 20;

/** The message with all its lines, up to a limit; a cause has one line. */
export function failureChain(failure: Failure, palette: Palette): readonly string[] {
  const lines = safeLines(failure.message.replaceAll(/\r\n?/gu, "\n").trimEnd()).split("\n");
  const [first = "", ...rest] = lines.slice(0, MESSAGE_LINES_MAX);
  const more = lines.length - MESSAGE_LINES_MAX;
  return [
    `${palette.bad(safeText(failure.code))} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...(more > 0 ? [palette.quiet(`  … ${more} more lines`)] : []),
    ...causes(failure).map(
      (cause) => `  caused by ${palette.bad(safeText(cause.code))} ${safeText(failureText(cause))}`,
    ),
  ];
}

function causes(failure: Failure): readonly Failure[] {
  const chain: Failure[] = [];
  for (let cause = failure.cause; cause !== undefined && chain.length < CAUSES_MAX; cause = cause.cause)
    chain.push(cause);
  return chain;
}
