// Step logs, stored beside the journals. Logs are for people: no decision depends on them, they are neither hashed nor
// fenced, and removing them is always safe.
//
//   O1. Lines of one execution are returned in the order in which they were appended.
//   O2. Removing an execution, or its payloads, removes its logs. They are not part of an export.
//   O3. A gap is marked by a `cut` line. Text that a lone carriage return overwrites is no gap, because it was not
//       visible on a terminal either.
//   O4. Logs of an execution that does not exist are dropped, because no reader could find or remove them.
//   O5. A rejected append may have happened. The caller does not repeat it, because that could duplicate lines.

import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { StepProgress } from "./step-progress.ts";

/** `log` is a line that a function wrote with its logger. */
export type LogStream = "stdout" | "stderr" | "log";

/** Names one attempt of a step. */
export interface AttemptName {
  readonly execution: string;
  readonly step: string;
  readonly attempt: number;
}

/** A line that a step wrote. */
export interface LogLine {
  readonly step: string;
  readonly attempt: number;
  readonly stream: LogStream;
  /** The time at which the end of the line arrived. */
  readonly at: EpochMs;
  /** Without its line break; masked. */
  readonly text: string;
  /** Set on a line that marks a gap; such a line has no text. */
  readonly cut?: LogCut;
}

/** A gap in the log of a step. */
export interface LogCut {
  /**
   * `line`: the line before was too long. `attempt`: the attempt wrote too much. `lost`: the store could not take some
   * lines.
   */
  readonly kind: "line" | "attempt" | "lost";
  /** The size of the gap. For whole lost lines, each line break counts as one byte. */
  readonly bytes: number;
}

/** A line in the log of a step. */
export interface StoredLine extends LogLine {
  /**
   * Rises within an execution and is the position to continue from. It is never reused, even after logs were removed.
   */
  readonly seq: number;
}

/** The lines that one execution appends. */
export interface NewLogs {
  readonly execution: ExecutionId;
  readonly lines: readonly LogLine[];
  /** The latest progress of steps; it replaces the progress that those steps had. */
  readonly progress?: readonly StepProgress[];
}

/** The log lines that a reader wants. */
export interface LogRequest {
  /** The execution whose lines are read. */
  readonly execution: ExecutionId;
  /** Only lines of this step. */
  readonly step?: string;
  /** Only lines after this one; without it, all lines. */
  readonly after?: number;
  /** The maximum number of lines. */
  readonly limit: number;
}

/** The part of a store that keeps the logs of steps. */
export interface StepLogs {
  /**
   * Appends the lines of many executions in one transaction, which costs the same however many executions there are.
   */
  appendLogs(logs: readonly NewLogs[]): Promise<void>;
  /** Returns lines of an execution, oldest first. */
  readLogs(request: LogRequest): Promise<readonly StoredLine[]>;
  /** The latest progress of each step of an execution that has reported any, by step. */
  readProgress(execution: ExecutionId): Promise<readonly StepProgress[]>;
  /**
   * Removes the logs and the progress of ended executions that were last changed before the given time. Returns the number of those
   * executions, at most `limit`. A limit bounds how long the store is blocked.
   */
  removeLogs(before: EpochMs, limit?: number): Promise<number>;
}
