import { SegnoError, type Failure, type NotUndoneStep } from "@segno/kernel";

/** The workflow ended otherwise than by completing. */
export interface ExecutionErrorDetails {
  readonly failure?: Failure | undefined;
  readonly step?: string | undefined;
  readonly notUndone?: readonly NotUndoneStep[];
}

export class ExecutionError extends SegnoError {
  override readonly name: string = "ExecutionError";
  readonly executionId: string;
  readonly failure: Failure | undefined;
  /** The step that failed it, where one did. */
  readonly step: string | undefined;
  /** What was to be undone and still stands; empty when there is nothing of the kind. */
  readonly notUndone: readonly NotUndoneStep[];

  constructor(
    code: "EXECUTION_FAILED" | "EXECUTION_CANCELLED",
    id: string,
    message: string,
    { failure, step, notUndone = [] }: ExecutionErrorDetails = {},
  ) {
    super(code, message);
    this.executionId = id;
    this.failure = failure;
    this.step = step;
    this.notUndone = notUndone;
  }
}
