/** The reason why a step gets no action. Making an action throws it, and planning catches it and keeps it as a value. */
export class StepFailure extends Error {
  override readonly name: string = "StepFailure";
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.errorType = errorType;
  }
}
