// A view shows the progress of executions.

import type { StepProgress, WatchEvent } from "@segno/engine";

import type { FollowedExecution } from "../progress/followed-execution.ts";
import type { LoggedLine } from "./log-text.ts";

export interface View {
  /** Shows an execution that was active before the view was opened. */
  onTracked(execution: FollowedExecution): void;
  /** Shows an event that the execution has folded. */
  onEvent(watched: WatchEvent, execution: FollowedExecution): void;
  /** Shows output of the steps of an execution. */
  onLines(execution: string, lines: readonly LoggedLine[]): void;
  /** Shows the latest progress of a step, which the execution has, too. */
  onProgress(execution: string, progress: StepProgress): void;
  /** Shows a message of the command itself. */
  printNote(text: string): void;
  /** Stops showing an execution. */
  forget(execution: FollowedExecution): void;
  /** Clears the live region. May be called more than once. */
  close(): void;
}
