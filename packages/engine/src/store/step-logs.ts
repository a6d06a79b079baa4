// What steps wrote, kept beside the journals. Logs are for people: nothing is decided by them, they are not hashed and not
// fenced, and whoever removes them breaks nothing.
//
//   O1. Lines of one execution come back in the order in which they were appended.
//   O2. Removing an execution, or its payloads, removes its logs. They are not part of an export.
//   O3. What was left out is said in its place (`cut`), never silently. Lines that were written over by a lone carriage
//       return are no such thing: whoever looked on did not see them any more either.
//   O4. Logs of an execution that is not there, not yet or no longer, are passed over: nobody could find them, or remove
//       them.
//   O5. An append that rejects may have happened, and may be given up: it is not worth a second one, which could double it.

import type { EpochMs, ExecutionId } from "@segno/kernel";

/** `log` is what a function wrote with its logger. */
export type LogStream = "stdout" | "stderr" | "log";

/** Names one attempt of a step. */
export interface AttemptName {
  readonly execution: string;
  readonly step: string;
  readonly attempt: number;
}

export interface LogLine {
  readonly step: string;
  readonly attempt: number;
  readonly stream: LogStream;
  /** When its end came. */
  readonly at: EpochMs;
  /** Without its line break; masked. */
  readonly text: string;
  /** Set on a line that stands for what was left out; it has no text. */
  readonly cut?: LogCut;
}

export interface LogCut {
  /**
   * The line before was longer than a line may be, or the attempt wrote more than an attempt may, or lines were lost
   * because the store could not take them.
   */
  readonly kind: "line" | "attempt" | "lost";
  /** What is missing; of lines that were lost whole, with one byte for the break of each. */
  readonly bytes: number;
}

export interface StoredLine extends LogLine {
  /** Rises within an execution; the place to go on from. Never comes twice, also when logs were removed in between. */
  readonly seq: number;
}

/** What one execution has to add. */
export interface NewLogs {
  readonly execution: ExecutionId;
  readonly lines: readonly LogLine[];
}

export interface LogRequest {
  readonly execution: ExecutionId;
  readonly step?: string;
  /** Only what comes after this line; everything when it is absent. */
  readonly after?: number;
  readonly limit: number;
}

export interface StepLogs {
  /** Of many executions at once: one transaction costs what one costs, however many wrote something. */
  appendLogs(logs: readonly NewLogs[]): Promise<void>;
  readLogs(request: LogRequest): Promise<readonly StoredLine[]>;
  /**
   * Removes the logs of executions that ended and were last changed before then; gives back of how many. With a limit, of
   * no more than so many: a store may be held up as long as it takes.
   */
  removeLogs(before: EpochMs, limit?: number): Promise<number>;
}
