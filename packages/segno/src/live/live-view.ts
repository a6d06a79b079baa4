// The view in a terminal: finished steps scroll by, and the live region stays below them.
//   V1. The view draws at most twelve times a second; lines that arrive in between are drawn together.
//   V2. The region is cleared and the cursor restored when the view closes, when the process ends, and while Ctrl-Z suspends it.

import type { WatchEvent } from "@segno/engine";

import type { FollowedExecution } from "../progress/followed-execution.ts";
import { begunText, joinedText, lineText, progressLines } from "../progress/progress-line.ts";
import type { Palette } from "../terminal/palette.ts";
import { Labels } from "./labels.ts";
import { liveRegion } from "./live-region.ts";
import { logText, writerName, type LoggedLine } from "./log-text.ts";
import { Screen, type ScreenWindow } from "./screen.ts";
import type { View } from "./view.ts";

export interface LiveWindow extends ScreenWindow {
  readonly rows: number;
  /** Calls back when the size changes; returns a function that stops it. */
  onResize(call: () => void): () => void;
}

export interface LiveViewOptions {
  readonly window: LiveWindow;
  readonly palette: Palette;
  readonly color: boolean;
  /** Hides the output of steps. */
  readonly quiet: boolean;
  readonly isShared: boolean;
  readonly now: () => number;
  /** Calls back at an interval; returns a function that stops it. */
  readonly every: (ms: number, call: () => void) => () => void;
}

const FRAME_MS = 84;

export class LiveView implements View {
  readonly #options: LiveViewOptions;
  readonly #screen: Screen;
  readonly #labels = new Labels();
  readonly #stops: readonly (() => void)[];
  #lines: string[] = [];
  #isClosed = false;

  constructor(options: LiveViewOptions) {
    this.#options = options;
    this.#screen = new Screen(options.window);
    this.#stops = [options.every(FRAME_MS, () => this.#draw()), options.window.onResize(() => this.#screen.redraw())];
  }

  onTracked(execution: FollowedExecution): void {
    this.#labels.add(execution);
    this.#print(joinedText(execution, this.#options.palette));
  }

  onEvent(watched: WatchEvent, execution: FollowedExecution): void {
    this.#labels.add(execution);
    const { isShared, palette } = this.#options;
    if (isShared && watched.kind === "execution.started") this.#print(begunText(execution, palette));
    const label = isShared ? this.#labels.of(execution.id) : undefined;
    for (const line of progressLines(watched, execution))
      if (line.isPassing !== true) this.#print(lineText(line, palette, label));
  }

  onLines(execution: string, lines: readonly LoggedLine[]): void {
    if (this.#options.quiet) return;
    const label = this.#options.isShared ? `${this.#labels.of(execution)} ` : "";
    for (const line of lines) this.#print(logText(line, { ...this.#options, prefix: `${label}${writerName(line)}` }));
  }

  /** The next frame shows it. */
  onProgress(): void {}

  printNote(text: string): void {
    this.#print(text);
    this.#draw();
  }

  forget(execution: FollowedExecution): void {
    this.#labels.delete(execution);
  }

  /** Clears the region while another program uses the terminal. */
  suspend(): void {
    this.#screen.draw(this.#lines.splice(0), []);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.suspend();
  }

  #print(line: string): void {
    if (this.#isClosed) this.#options.window.write(`${line}\n`);
    else this.#lines.push(line);
  }

  #draw(): void {
    if (this.#isClosed) return;
    const { window, palette, now, isShared } = this.#options;
    const { columns, rows } = window;
    const executions = this.#labels.executions.filter((each) => !each.isEnded);
    const label = isShared ? { label: ({ id }: FollowedExecution) => this.#labels.of(id) } : {};
    const region =
      executions.length === 0 ? [] : liveRegion(executions, { now: now(), columns, rows, palette, ...label });
    this.#screen.draw(this.#lines.splice(0), region);
  }
}
