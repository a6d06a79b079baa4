import { SegnoError, type Failure } from "@segno/kernel";

/** The workflow ended otherwise than by completing. */
export class ExecutionError extends SegnoError {
  override readonly name: string = "ExecutionError";
  readonly executionId: string;
  readonly failure: Failure | undefined;

  constructor(code: "EXECUTION_FAILED" | "EXECUTION_CANCELLED", id: string, message: string, failure?: Failure) {
    super(code, message);
    this.executionId = id;
    this.failure = failure;
  }
}
