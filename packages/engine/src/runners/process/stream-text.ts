// The stdout or stderr of a command as a value that fits into the journal (DATA-8).

import type { StreamTail } from "./stream-tail.ts";

export interface StreamText {
  readonly text: string;
  readonly isCut: boolean;
}

/**
 * Both streams and their object have to fit into one value (`VALUE_BYTES_MAX`) as JSON, where one byte may become six.
 */
const STREAM_BYTES_MAX = 4 * 1024 * 1024;
const ESCAPED_BYTES_MAX = 6;

/** Removes trailing newlines, like a shell's `$(…)`. */
export function streamText(tail: StreamTail): StreamText {
  const whole = trimNewlines(tail.text());
  const text = truncateToFit(whole);
  return { text, isCut: tail.isCut || text.length < whole.length };
}

function trimNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

function truncateToFit(text: string): string {
  let rest = text;
  while (
    rest.length * ESCAPED_BYTES_MAX > STREAM_BYTES_MAX &&
    Buffer.byteLength(JSON.stringify(rest)) > STREAM_BYTES_MAX
  )
    rest = afterCut(rest, rest.length >> 1);
  return rest;
}

/** The end of a text, without cutting a character in half. */
export function lastCharacters(text: string, count: number): string {
  return text.length <= count ? text : `…${afterCut(text, text.length - count + 1)}`;
}

function afterCut(text: string, offset: number): string {
  const isLowSurrogate = (text.charCodeAt(offset) & 0xfc00) === 0xdc00;
  return text.slice(isLowSurrogate ? offset + 1 : offset);
}
