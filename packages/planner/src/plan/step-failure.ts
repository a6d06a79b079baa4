/** Why a step gets no action. Thrown on the way to an action, and caught by the planner, which keeps it as a value. */
export class StepFailure extends Error {
  override readonly name: string = "StepFailure";
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.errorType = errorType;
  }
}
