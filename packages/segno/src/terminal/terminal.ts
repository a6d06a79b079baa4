// The terminal, or the pipes in its place: results go to stdout, diagnostics to stderr.

import type { Writable } from "node:stream";
import type { WriteStream } from "node:tty";

import { type ColorChoice, wantsColor } from "./color.ts";
import { type Palette, createPalette } from "./palette.ts";
import { exitProcess } from "./process-exit.ts";

export interface Terminal {
  /** Writes a result to stdout. */
  readonly print: (text: string) => void;
  /** Writes a diagnostic to stderr. */
  readonly report: (text: string) => void;
  /** Colours of results and of diagnostics differ if one of the streams is a pipe. */
  readonly palette: Palette;
  readonly reportPalette: Palette;
  readonly printsInColor: boolean;
  readonly reportsInColor: boolean;
  readonly columns: number;
  /** The window for a live region: present if stderr is a terminal and this is not CI. */
  readonly window: TerminalWindow | undefined;
}

/** A terminal that can redraw a part of itself. Its size may change. */
export interface TerminalWindow {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
  /** Calls back when the size changes; returns a function that stops it. */
  onResize(call: () => void): () => void;
}

const COLUMNS_DEFAULT = 80;
const ROWS_DEFAULT = 24;
/** A narrower window means that its size is unknown. */
const WINDOW_COLUMNS_MIN = 20;
/** Some pseudo-terminals claim to be one column wide, in which no text is readable. */
const COLUMNS_MIN = 40;
/** Longer lines are hard to read in a window of any width. */
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

/** Whether a person watches, and the terminal can redraw a part of itself. */
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

/** The reader of the output may stop reading, as `head` does, or close the window. That is not an error. */
const BROKEN_PIPE_CODES: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);

let exitUnread: () => void = () => exitProcess();

/**
 * Exits when the reader is gone, unless `onBrokenPipe` was called: then that listener cleans up first. Output that cannot be
 * written for another reason, because the disk is full or the reader is slow, is lost, and the command continues.
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

/** The error that made the stream lose output, if there was one. */
export function streamError(stream: Writable): Error | undefined {
  return lostStreams.get(stream);
}

/** Registers a listener that replaces the exit when the reader is gone, for commands that have to clean up. */
export function onBrokenPipe(call: () => void): void {
  exitUnread = call;
}
