// Renders a code frame: the line of a problem, the line before it, and a mark under the column.

import { escapeText } from "./escape-text.ts";

export interface FrameLine {
  readonly kind: "context" | "line" | "mark";
  readonly text: string;
}

/** How much of a line is shown, and how much of that before the column of the problem. */
const SHOWN_MAX = 100;
const BEFORE_MAX = 60;
const TAB = "    ";

/** Returns nothing if there is no such line. */
export function codeFrame(lines: readonly string[], line: number, column: number): readonly FrameLine[] | undefined {
  const source = lines[line - 1];
  if (source === undefined) return undefined;
  const width = String(line).length;
  const { prefix, shown } = clipLine(source.replace(/\r$/u, ""), column - 1);
  const before = lines[line - 2];
  const frame: FrameLine[] = [];
  if (before !== undefined && before.trim() !== "")
    frame.push({
      kind: "context",
      text: gutter(String(line - 1), width, ` ${clipLine(before.replace(/\r$/u, ""), 0).shown}`),
    });
  frame.push({ kind: "line", text: gutter(String(line), width, ` ${shown}`, ">") });
  frame.push({ kind: "mark", text: gutter("", width, ` ${" ".repeat(displayWidth(prefix))}^`) });
  return frame;
}

function gutter(number: string, width: number, text: string, mark = " "): string {
  return `${mark} ${number.padStart(width)} |${text}`.trimEnd();
}

/** The part of a line around a column, escaped for display, and the part of that before the column. */
function clipLine(source: string, at: number): { readonly prefix: string; readonly shown: string } {
  const start = boundary(source, Math.max(0, at - BEFORE_MAX));
  const end = boundary(source, Math.min(source.length, start + SHOWN_MAX));
  const prefix = `${start > 0 ? "…" : ""}${visible(source.slice(start, Math.min(at, source.length)))}`;
  return {
    prefix,
    shown: `${prefix}${visible(source.slice(Math.min(at, source.length), end))}${end < source.length ? "…" : ""}`,
  };
}

/** Does not cut between the halves of a surrogate pair. */
function boundary(source: string, at: number): number {
  return at > 0 && /[\uDC00-\uDFFF]/u.test(source.charAt(at)) && /[\uD800-\uDBFF]/u.test(source.charAt(at - 1))
    ? at - 1
    : at;
}

function visible(text: string): string {
  return text
    .split("\t")
    .map((part) => escapeText(part))
    .join(TAB);
}

const WIDE =
  /^(?:[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|[\u{20000}-\u{3FFFD}])$/u;
const NO_WIDTH = /^(?:\p{Mn}|\p{Me})$/u;

/** The number of terminal columns that the text takes. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
