// The view without a terminal: a line for each event, and a heartbeat every 30 seconds.

import type { WatchEvent } from "@segno/engine";

import { tickingText } from "../progress/elapsed-text.ts";
import type { FollowedExecution } from "../progress/followed-execution.ts";
import { begunText, joinedText, lineText, progressLines } from "../progress/progress-line.ts";
import { progressText } from "../progress/progress-text.ts";
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

  onTracked(execution: FollowedExecution): void {
    this.#labels.add(execution);
    this.#print(joinedText(execution, this.#options.palette));
  }

  onEvent(watched: WatchEvent, execution: FollowedExecution): void {
    this.#labels.add(execution);
    const { isShared, palette } = this.#options;
    if (isShared && watched.kind === "execution.started") this.#print(begunText(execution, palette));
    const label = isShared ? this.#labels.of(execution.id) : undefined;
    for (const line of progressLines(watched, execution)) this.#print(lineText(line, palette, label));
  }

  onLines(execution: string, lines: readonly LoggedLine[]): void {
    if (this.#options.quiet) return;
    const label = this.#options.isShared ? `${this.#labels.of(execution)} ` : "";
    for (const line of lines) this.#print(logText(line, { ...this.#options, prefix: `${label}${writerName(line)}` }));
  }

  /** The heartbeat shows the latest progress; a line for each would fill a log. */
  onProgress(): void {}

  printNote(text: string): void {
    this.#print(text);
  }

  forget(execution: FollowedExecution): void {
    this.#labels.delete(execution);
  }

  close(): void {
    clearInterval(this.#heart);
  }

  #print(line: string): void {
    this.#options.write(`${line}\n`);
  }

  #beat(): void {
    for (const execution of this.#labels.executions)
      this.#print(this.#options.palette.quiet(this.#heartbeatLine(execution)));
  }

  #heartbeatLine(execution: FollowedExecution): string {
    const now = this.#options.now();
    const { active, progress, status, beganAt = now } = execution;
    const named = takeFirst(active, NAMED_MAX).map((step) => activityText(step, execution, now));
    const more = active.size > named.length ? [`${active.size - named.length} more`] : [];
    const what = [...named, ...more].join(", ");
    const items = progress.items === 0 ? "" : `, ${progress.itemsEnded} of ${progress.items} items`;
    const label = this.#options.isShared ? `${safeText(this.#labels.of(execution.id))} ` : "";
    return `… ${label}${status} for ${tickingText(now - beganAt)}, ${progress.ended} of ${progress.total} done${items}${what === "" ? "" : `: ${what}`}`;
  }
}

function takeFirst(steps: Iterable<number>, count: number): readonly number[] {
  const first: number[] = [];
  for (const step of steps) {
    if (first.length === count) break;
    first.push(step);
  }
  return first;
}

function activityText(index: number, execution: FollowedExecution, now: number): string {
  const { name, status } = execution.step(index);
  const since = execution.sinceOf(index);
  const time = since === undefined ? "" : ` ${tickingText(now - since)}`;
  const progress = execution.progressOf(index);
  const how = progress === undefined ? "" : ` ${safeText(progressText(progress))}`;
  return `${titleText({ name, label: execution.labelOf(index) })} ${status}${time}${how}`;
}
