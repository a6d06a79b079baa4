// The view for programs: one line of JSON for each event, when it happens.

import type { StepProgress, WatchEvent } from "@segno/engine";

import { safeJsonLine } from "../terminal/safe-text.ts";
import type { LoggedLine } from "./log-text.ts";
import type { View } from "./view.ts";

export interface JsonlViewOptions {
  /** Writes results. */
  readonly print: (text: string) => void;
  /** Writes messages of the command itself. */
  readonly report: (text: string) => void;
  /** Hides the output of steps. */
  readonly quiet: boolean;
}

export class JsonlView implements View {
  readonly #options: JsonlViewOptions;

  constructor(options: JsonlViewOptions) {
    this.#options = options;
  }

  onTracked(): void {}

  onEvent(watched: WatchEvent): void {
    this.#options.print(jsonLine(eventJson(watched)));
  }

  onLines(execution: string, lines: readonly LoggedLine[]): void {
    if (this.#options.quiet) return;
    for (const line of lines) this.#options.print(jsonLine({ kind: "step.wrote", executionId: execution, ...line }));
  }

  onProgress(execution: string, progress: StepProgress): void {
    const { epoch: _epoch, ...shown } = progress;
    this.#options.print(jsonLine({ kind: "step.progressed", executionId: execution, ...shown }));
  }

  printNote(text: string): void {
    this.#options.report(`${text}\n`);
  }

  forget(): void {}

  close(): void {}
}

export function jsonLine(value: object): string {
  return `${safeJsonLine({ schemaVersion: 1, ...value })}\n`;
}

/** Contains names instead of step indexes. Fields of this kind of event only are in `data`. */
function eventJson({ event, ...watched }: WatchEvent): object {
  const { v: _version, seq: _seq, at: _at, kind: _kind, ...data } = event;
  return { ...watched, data: withoutPlaces(data) };
}

/** The fields of an event, and of a reason, that hold step indexes. Names replace them. */
const PLACES: ReadonlySet<string> = new Set(["step", "steps", "child", "notUndone"]);
const PLACES_OF_REASON: ReadonlySet<string> = new Set(["dependency", "primary"]);

function withoutPlaces({ reason, ...data }: Readonly<Record<string, unknown>>): object {
  const kept = without(data, PLACES);
  if (reason === undefined) return kept;
  return { ...kept, reason: typeof reason === "object" ? without(reason as object, PLACES_OF_REASON) : reason };
}

function without(value: object, keys: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)));
}
