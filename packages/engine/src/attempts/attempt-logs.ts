// The logs of attempts: the output that steps write and the lines that agents log, masked.

import { executionId } from "@segno/kernel";
import type { Logger, StepLogger } from "../events/logger.ts";
import type { AttemptLog, LogWriter } from "../logs/log-writer.ts";
import type { ProgressWriter } from "../logs/progress-writer.ts";
import { stepLogger } from "../logs/step-logger.ts";
import type { Masker } from "../secrets/masker.ts";
import type { AttemptName, StepLogs } from "../store/step-logs.ts";
import type { StepAttempt } from "./step-attempt.ts";

export class AttemptLogs {
  readonly #writer: LogWriter;
  readonly #progress: ProgressWriter;
  readonly #logger: Logger;
  readonly #masker: Masker;
  /** After close, nothing is written to the store. */
  #isClosed = false;

  constructor(writer: LogWriter, progress: ProgressWriter, logger: Logger, masker: Masker) {
    this.#writer = writer;
    this.#progress = progress;
    this.#logger = logger;
    this.#masker = masker;
  }

  open({ execution, step, attempt }: StepAttempt): AttemptLog {
    return this.#writer.open({ execution: executionId(execution), step, attempt });
  }

  /** An agent's log lines go to the engine's logger and to the log of its step. */
  newLogger(attempt: StepAttempt): StepLogger {
    const { execution, workflow, step, attempt: number, liveExecution } = attempt;
    const correlationId = liveExecution.state.created?.correlationId;
    const ids = { executionId: execution, workflow, correlationId, step, attempt: number };
    return stepLogger(this.#logger.child(ids), {
      writeLine: (text) => attempt.openLog().writeLine(text),
      maskText: (text) => this.#masker.text(text),
    });
  }

  onProgress(attempt: StepAttempt): void {
    if (!this.#isClosed) this.#progress.onReported(attempt);
  }

  /** The attempt's own log is closed, so this opens another one with the same name. */
  appendLate(attempt: AttemptName, text: string): void {
    if (this.#isClosed) return;
    const log = this.#writer.open(attempt);
    log.write("stderr", Buffer.from(text));
    log.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writer.flush();
  }
}

/** The logs of a store; undefined if it keeps none. */
export function logsIn(store: Partial<StepLogs>): StepLogs | undefined {
  return keepsLogs(store) ? store : undefined;
}

function keepsLogs(store: Partial<StepLogs>): store is StepLogs {
  return store.appendLogs !== undefined;
}
