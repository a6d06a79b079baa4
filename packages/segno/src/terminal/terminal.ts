// The terminal, or whatever stands in its place: results go one way, diagnostics another.

import type { Writable } from "node:stream";

import { type ColorChoice, wantsColor } from "./color.ts";
import { type Palette, createPalette } from "./palette.ts";

export interface Terminal {
  /** A result, for stdout. */
  print(text: string): void;
  /** A diagnostic, for stderr. */
  report(text: string): void;
  /** Colours for results, and for diagnostics: one of the two may be a pipe. */
  readonly palette: Palette;
  readonly reportPalette: Palette;
  readonly reportsInColor: boolean;
  readonly columns: number;
}

const COLUMNS_DEFAULT = 80;
/** Some pseudo-terminals claim to be one column wide; nothing can be read there. */
const COLUMNS_MIN = 40;
/** Longer lines are hard to read, however wide the window is. */
const COLUMNS_MAX = 120;

export function createTerminal(choice: ColorChoice): Terminal {
  const { stdout, stderr, env: environment } = process;
  const reportsInColor = wantsColor({ choice, environment, isTerminal: stderr.isTTY });
  return {
    print: (text) => void stdout.write(text),
    report: (text) => void stderr.write(text),
    palette: createPalette(wantsColor({ choice, environment, isTerminal: stdout.isTTY })),
    reportPalette: createPalette(reportsInColor),
    reportsInColor,
    columns: columnsOf(stdout.isTTY ? stdout.columns : undefined),
  };
}

function columnsOf(columns: number | undefined): number {
  if (columns === undefined || columns < COLUMNS_MIN) return COLUMNS_DEFAULT;
  return Math.min(columns, COLUMNS_MAX);
}

/** Who reads our output may stop reading, as `head` does. That is no error, and there is nobody left to tell. */
export function endQuietlyWhenNobodyReads(streams: readonly Writable[]): void {
  for (const stream of streams) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit();
    });
  }
}
