/** A bug in Segno itself: an invariant that the code relies on does not hold. No code catches it to continue. */
export class InvariantViolation extends Error {
  override readonly name: string = "InvariantViolation";
  readonly invariant: string;

  constructor(rule: string, message: string) {
    super(`${rule}: ${message}`);
    this.invariant = rule;
  }
}

export function invariant(condition: boolean, rule: string, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(rule, message);
}
