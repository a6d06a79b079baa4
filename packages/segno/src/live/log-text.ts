// A line that a step wrote, as it is shown: whose it is, quietly, and then what it says.

import { labelText } from "../progress/step-title.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";
import { stepText } from "../terminal/step-text.ts";

/** As the engine keeps it. */
export interface LoggedLine {
  readonly step: string;
  /** Of the item that the step stands in, as far as whoever shows it knows. */
  readonly label?: string;
  readonly attempt: number;
  readonly stream: "stdout" | "stderr" | "log";
  readonly at: number;
  readonly text: string;
  /** Set on a line that stands for what was left out. */
  readonly cut?: { readonly kind: string; readonly bytes: number };
}

export interface LogTextOptions {
  readonly palette: Palette;
  readonly color: boolean;
  /** What the line begins with: whose it is. Nothing where that is plain. */
  readonly prefix?: string;
}

/** Before every line there is less room than once in a line. */
const LABEL_COLUMNS_MAX = 32;

/** The step that wrote a line, as its prefix has it. */
export function writerName({ step, label }: LoggedLine): string {
  return label === undefined ? step : `${step} ${labelText(label, LABEL_COLUMNS_MAX)}`;
}

/** Lines with the labels of the items that their steps stand in. */
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

function bytesText(bytes: number): string {
  for (const [unit, size] of UNITS) if (bytes >= size) return `${(bytes / size).toFixed(1)} ${unit}`;
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
}
