import { SegnoError, type Failure, type NotUndoneStep } from "@segno/kernel";

/** The workflow ended otherwise than by completing. */
export class ExecutionError extends SegnoError {
  override readonly name: string = "ExecutionError";
  readonly executionId: string;
  readonly failure: Failure | undefined;
  /** What was to be undone and still stands; empty when there is nothing of the kind. */
  readonly notUndone: readonly NotUndoneStep[];

  constructor(
    code: "EXECUTION_FAILED" | "EXECUTION_CANCELLED",
    id: string,
    message: string,
    {
      failure,
      notUndone = [],
    }: { readonly failure?: Failure | undefined; readonly notUndone?: readonly NotUndoneStep[] } = {},
  ) {
    super(code, message);
    this.executionId = id;
    this.failure = failure;
    this.notUndone = notUndone;
  }
}
