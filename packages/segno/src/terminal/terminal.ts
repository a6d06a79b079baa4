// The terminal, or whatever stands in its place: results go one way, diagnostics another.

import type { Writable } from "node:stream";
import type { WriteStream } from "node:tty";

import { type ColorChoice, wantsColor } from "./color.ts";
import { type Palette, createPalette } from "./palette.ts";

export interface Terminal {
  /** A result, for stdout. */
  readonly print: (text: string) => void;
  /** A diagnostic, for stderr. */
  readonly report: (text: string) => void;
  /** Colours for results, and for diagnostics: one of the two may be a pipe. */
  readonly palette: Palette;
  readonly reportPalette: Palette;
  readonly printsInColor: boolean;
  readonly reportsInColor: boolean;
  readonly columns: number;
  /** Where a live region can be drawn, if somebody is there to see it: stderr is a terminal and this is no CI. */
  readonly window: TerminalWindow | undefined;
}

/** A terminal of which a part can be drawn again. Its size may change. */
export interface TerminalWindow {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
  /** Calls back when the size has changed; gives back how to stop. */
  onResize(call: () => void): () => void;
}

const COLUMNS_DEFAULT = 80;
const ROWS_DEFAULT = 24;
/** A window narrower than this is one whose size is not known. */
const WINDOW_COLUMNS_MIN = 20;
/** Some pseudo-terminals claim to be one column wide; nothing can be read there. */
const COLUMNS_MIN = 40;
/** Longer lines are hard to read, however wide the window is. */
const COLUMNS_MAX = 120;

export function createTerminal(choice: ColorChoice): Terminal {
  const { stdout, stderr, env: environment } = process;
  const printsInColor = wantsColor({ choice, environment, isTerminal: stdout.isTTY });
  const reportsInColor = wantsColor({ choice, environment, isTerminal: stderr.isTTY });
  return {
    print: (text) => void stdout.write(text),
    report: (text) => void stderr.write(text),
    palette: createPalette(printsInColor),
    reportPalette: createPalette(reportsInColor),
    printsInColor,
    reportsInColor,
    columns: clampColumns(stdout.isTTY ? stdout.columns : undefined),
    window: isInteractive(stderr.isTTY, environment) ? toWindow(stderr) : undefined,
  };
}

/** Whether a person looks on, and the terminal knows how to draw a part of itself again. */
export function isInteractive(isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): boolean {
  const { CI, TERM } = environment;
  const isCi = CI !== undefined && CI !== "" && CI !== "false" && CI !== "0";
  return isTerminal && !isCi && TERM !== "dumb";
}

function toWindow(stream: WriteStream): TerminalWindow {
  return {
    write: (text) => void stream.write(text),
    get columns() {
      return stream.columns < WINDOW_COLUMNS_MIN ? COLUMNS_DEFAULT : stream.columns;
    },
    get rows() {
      return stream.rows < 1 ? ROWS_DEFAULT : stream.rows;
    },
    onResize: (call) => {
      stream.on("resize", call);
      return () => stream.off("resize", call);
    },
  };
}

function clampColumns(columns: number | undefined): number {
  if (columns === undefined || columns < COLUMNS_MIN) return COLUMNS_DEFAULT;
  return Math.min(columns, COLUMNS_MAX);
}

/** Who reads our output may stop reading, as `head` does, or close the window. That is no error. */
const BROKEN_PIPE_CODES: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);

let exitUnread: () => void = () => process.exit();

/**
 * Unless somebody has something to put away first, there is nothing to do and nobody left to tell. What cannot be written for
 * another reason, because the disk is full or the reader is slow, is lost; the work goes on.
 */
export function exitOnBrokenPipe(streams: readonly Writable[]): void {
  for (const stream of streams) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (BROKEN_PIPE_CODES.has(error.code)) exitUnread();
      else lostStreams.set(stream, error);
    });
  }
}

const lostStreams = new Map<Writable, Error>();

/** Why a part of what was written to it is lost, if it is. */
export function streamError(stream: Writable): Error | undefined {
  return lostStreams.get(stream);
}

/** What is done when nobody reads any more, instead of ending at once: for who has to put something away first. */
export function onBrokenPipe(call: () => void): void {
  exitUnread = call;
}
