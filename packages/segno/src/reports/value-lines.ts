// Values on the terminal: some lines of JSON, or one line.

import type { ShownValue } from "../progress/shown-value.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeJson, safeJsonLine } from "../terminal/safe-text.ts";
import { shorten } from "../terminal/text-layout.ts";

export interface ValueLinesOptions {
  readonly palette: Palette;
  readonly columns: number;
  readonly linesMax: number;
  /** The command that prints the whole value. */
  readonly whole: string;
}

/** Cuts long lines as well as long values, and then names the command that prints all. */
export function valueLines(shown: ShownValue, options: ValueLinesOptions): readonly string[] {
  const { palette, columns, linesMax, whole } = options;
  if (shown.kind !== "value") return [palette.caution(missingText(shown.kind))];
  const all = safeJson(shown.json).split("\n");
  const lines = all.slice(0, linesMax).map((line) => cutLine(line, columns));
  const isCut = all.length > lines.length || lines.some((line, place) => line !== all[place]);
  return isCut ? [...lines, palette.quiet(`${moreText(all.length - lines.length)}to print all: ${whole}`)] : lines;
}

function moreText(more: number): string {
  return more === 0 ? "… " : `… ${more} more ${more === 1 ? "line" : "lines"}; `;
}

/** The value on one line of at most this many columns. */
export function valueLine(shown: ShownValue | undefined, columns: number): string {
  if (shown === undefined) return "";
  return shown.kind === "value" ? cutLine(safeJsonLine(shown.json), columns) : missingText(shown.kind);
}

/** The width of a text of 10 MB is not measured. */
function cutLine(line: string, columns: number): string {
  const head = line.slice(0, columns * 2);
  return head.length === line.length ? shorten(line, columns) : shorten(`${head}…`, columns);
}

function missingText(kind: "removed" | "lost"): string {
  return kind === "removed" ? "(removed from the store)" : "(missing from the store)";
}
