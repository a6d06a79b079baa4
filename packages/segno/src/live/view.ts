// A view: where whoever waits for executions sees how they get on.

import type { WatchEvent } from "@segno/engine";

import type { ExecutionProgress } from "../progress/execution-progress.ts";
import type { LoggedLine } from "./log-text.ts";

export interface View {
  /** An execution is under way from before anybody looked. */
  onTracked(progress: ExecutionProgress): void;
  /** Something happened, and the progress has taken it. */
  onEvent(watched: WatchEvent, progress: ExecutionProgress): void;
  /** What steps of an execution wrote. */
  onLines(execution: string, lines: readonly LoggedLine[]): void;
  /** A line from the command itself. */
  printNote(text: string): void;
  /** Nothing is shown of an execution any more. */
  forget(progress: ExecutionProgress): void;
  /** Takes away what does not stay. May be called more than once. */
  close(): void;
}
