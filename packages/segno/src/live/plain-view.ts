// The view without a terminal: a line for each event, and a heartbeat every 30 seconds.

import type { WatchEvent } from "@segno/engine";

import { tickingText } from "../progress/elapsed-text.ts";
import type { ExecutionProgress } from "../progress/execution-progress.ts";
import { begunText, joinedText, lineText, progressLines } from "../progress/progress-line.ts";
import type { StepProgress } from "../progress/step-progress.ts";
import { titleText } from "../progress/step-title.ts";
import type { Palette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";
import { Labels } from "./labels.ts";
import { logText, writerName, type LoggedLine } from "./log-text.ts";
import type { View } from "./view.ts";

export interface PlainViewOptions {
  readonly write: (text: string) => void;
  readonly palette: Palette;
  readonly color: boolean;
  /** Hides the output of steps. */
  readonly quiet: boolean;
  /** Every line begins with the label of its execution, because there may be several. */
  readonly isShared: boolean;
  readonly now: () => number;
  /** The interval of the heartbeat; tests set it. */
  readonly heartbeatMs?: number;
}

const HEARTBEAT_MS = 30_000;
/** The number of steps that a heartbeat names. */
const NAMED_MAX = 5;

export class PlainView implements View {
  readonly #options: PlainViewOptions;
  readonly #labels = new Labels();
  readonly #heart: NodeJS.Timeout;

  constructor(options: PlainViewOptions) {
    this.#options = options;
    this.#heart = setInterval(() => this.#beat(), options.heartbeatMs ?? HEARTBEAT_MS);
  }

  onTracked(progress: ExecutionProgress): void {
    this.#labels.add(progress);
    this.#print(joinedText(progress, this.#options.palette));
  }

  onEvent(watched: WatchEvent, progress: ExecutionProgress): void {
    this.#labels.add(progress);
    const { isShared, palette } = this.#options;
    if (isShared && watched.kind === "execution.started") this.#print(begunText(progress, palette));
    const label = isShared ? this.#labels.of(progress.id) : undefined;
    for (const line of progressLines(watched, progress)) this.#print(lineText(line, palette, label));
  }

  onLines(execution: string, lines: readonly LoggedLine[]): void {
    if (this.#options.quiet) return;
    const label = this.#options.isShared ? `${this.#labels.of(execution)} ` : "";
    for (const line of lines) this.#print(logText(line, { ...this.#options, prefix: `${label}${writerName(line)}` }));
  }

  printNote(text: string): void {
    this.#print(text);
  }

  forget(progress: ExecutionProgress): void {
    this.#labels.delete(progress);
  }

  close(): void {
    clearInterval(this.#heart);
  }

  #print(line: string): void {
    this.#options.write(`${line}\n`);
  }

  #beat(): void {
    for (const progress of this.#labels.executions)
      this.#print(this.#options.palette.quiet(this.#heartbeatLine(progress)));
  }

  #heartbeatLine(progress: ExecutionProgress): string {
    const now = this.#options.now();
    const { active, done, total, status, beganAt = now } = progress;
    const named = active.slice(0, NAMED_MAX).map((step) => activityText(step, now));
    const more = active.length > named.length ? [`${active.length - named.length} more`] : [];
    const what = [...named, ...more].join(", ");
    const label = this.#options.isShared ? `${safeText(this.#labels.of(progress.id))} ` : "";
    return `… ${label}${status} for ${tickingText(now - beganAt)}, ${done} of ${total} done${what === "" ? "" : `: ${what}`}`;
  }
}

function activityText(step: StepProgress, now: number): string {
  const { status, sinceAt } = step;
  const time = sinceAt === undefined ? "" : ` ${tickingText(now - sinceAt)}`;
  return `${titleText(step)} ${status}${time}`;
}
