import { SegnoError, type Failure, type NotUndoneStep } from "@segno/kernel";

/** The details of an execution that failed or was cancelled. */
export interface ExecutionErrorDetails {
  readonly failure?: Failure | undefined;
  readonly step?: string | undefined;
  readonly notUndone?: readonly NotUndoneStep[];
  /** The error of the attempt that made the execution fail. */
  readonly cause?: Error | undefined;
}

/** The error with which `result()` rejects if the execution failed or was cancelled. */
export class ExecutionError extends SegnoError {
  override readonly name: string = "ExecutionError";
  /** The id of the execution. */
  readonly executionId: string;
  /** The failure of the execution; absent if it was cancelled. */
  readonly failure: Failure | undefined;
  /** The step that made the execution fail, if a step did. */
  readonly step: string | undefined;
  /** Steps that should have been undone and were not; empty if there are none. */
  readonly notUndone: readonly NotUndoneStep[];

  constructor(
    code: "EXECUTION_FAILED" | "EXECUTION_CANCELLED",
    id: string,
    message: string,
    { failure, step, notUndone = [], cause }: ExecutionErrorDetails = {},
  ) {
    super(code, message, cause === undefined ? {} : { cause });
    this.executionId = id;
    this.failure = failure;
    this.step = step;
    this.notUndone = notUndone;
  }
}
