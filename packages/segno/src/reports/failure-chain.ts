// A failure with its code, its message, its stack and the chain of its causes.

import type { Failure } from "@segno/kernel";

import { failureText } from "../progress/failure-text.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeLines, safeText } from "../terminal/safe-text.ts";

const MESSAGE_LINES_MAX = 12;
/** Chains and stacks are bounded when they are recorded; the report does not rely on it. */
const CAUSES_MAX = 20;
const FRAMES_MAX = 20;

/** The message with all its lines, up to a limit, and the stack; a cause has one line and its stack. */
export function failureChain(failure: Failure, palette: Palette): readonly string[] {
  const lines = safeLines(failure.message.replaceAll(/\r\n?/gu, "\n").trimEnd()).split("\n");
  const [first = "", ...rest] = lines.slice(0, MESSAGE_LINES_MAX);
  const more = lines.length - MESSAGE_LINES_MAX;
  return [
    `${failureTitle(failure, palette)} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...(more > 0 ? [palette.quiet(`  … ${more} more lines`)] : []),
    ...stackLines(failure, palette).map((line) => `  ${line}`),
    ...causes(failure).flatMap((cause) => [
      `  caused by ${failureTitle(cause, palette)} ${safeText(failureText(cause))}`,
      ...stackLines(cause, palette).map((line) => `    ${line}`),
    ]),
  ];
}

function failureTitle({ code, name }: Failure, palette: Palette): string {
  const title = palette.bad(safeText(code));
  return name === undefined ? title : `${title} ${palette.quiet(`(${safeText(name)})`)}`;
}

function stackLines({ stack }: Failure, palette: Palette): readonly string[] {
  if (stack === undefined) return [];
  return stack
    .split("\n")
    .slice(0, FRAMES_MAX)
    .map((frame) => palette.quiet(safeText(frame)));
}

function causes(failure: Failure): readonly Failure[] {
  const chain: Failure[] = [];
  for (let cause = failure.cause; cause !== undefined && chain.length < CAUSES_MAX; cause = cause.cause)
    chain.push(cause);
  return chain;
}
