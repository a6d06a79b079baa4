// A view shows the progress of executions.

import type { WatchEvent } from "@segno/engine";

import type { ExecutionProgress } from "../progress/execution-progress.ts";
import type { LoggedLine } from "./log-text.ts";

export interface View {
  /** Shows an execution that was active before the view was opened. */
  onTracked(progress: ExecutionProgress): void;
  /** Shows an event that the progress has applied. */
  onEvent(watched: WatchEvent, progress: ExecutionProgress): void;
  /** Shows output of the steps of an execution. */
  onLines(execution: string, lines: readonly LoggedLine[]): void;
  /** Shows a message of the command itself. */
  printNote(text: string): void;
  /** Stops showing an execution. */
  forget(progress: ExecutionProgress): void;
  /** Clears the live region. May be called more than once. */
  close(): void;
}
