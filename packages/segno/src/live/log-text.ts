// Formats a line of step output: a quiet prefix with its step, then the text.

import { labelText } from "../progress/step-title.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";
import { stepText } from "../terminal/step-text.ts";

/** A line as the engine stores it. */
export interface LoggedLine {
  readonly step: string;
  /** The label of the map item that contains the step, if it is known. */
  readonly label?: string;
  readonly attempt: number;
  readonly stream: "stdout" | "stderr" | "log";
  readonly at: number;
  readonly text: string;
  /** Set on a line that replaces output that was cut. */
  readonly cut?: { readonly kind: string; readonly bytes: number };
}

export interface LogTextOptions {
  readonly palette: Palette;
  readonly color: boolean;
  /** The prefix of the line, which names its step; absent if all lines have the same step. */
  readonly prefix?: string;
}

/** Shorter than in other texts, because the prefix is repeated on every line. */
const LABEL_COLUMNS_MAX = 32;

/** The step that wrote a line, for the prefix. */
export function writerName({ step, label }: LoggedLine): string {
  return label === undefined ? step : `${step} ${labelText(label, LABEL_COLUMNS_MAX)}`;
}

/** Adds the labels of map items to lines. */
export function withLabels(
  lines: readonly LoggedLine[],
  labelOf: (step: string) => string | undefined,
): readonly LoggedLine[] {
  return lines.map((line) => {
    const label = labelOf(line.step);
    return label === undefined ? line : { ...line, label };
  });
}

export function logText(line: LoggedLine, { palette, color, prefix }: LogTextOptions): string {
  const start = prefix === undefined ? "" : `${palette.quiet(`${safeText(prefix)} │`)} `;
  const text = stepText(line.text, { color });
  if (line.cut === undefined) return `${start}${text}`.trimEnd();
  const remark = palette.quiet(`… ${bytesText(line.cut.bytes)} left out`);
  return `${start}${text === "" ? "" : `${text} `}${remark}`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
];

export function bytesText(bytes: number): string {
  for (const [unit, size] of UNITS) if (bytes >= size) return `${(bytes / size).toFixed(1)} ${unit}`;
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
}
