// How a failure inside an expression travels up to the one place that turns it into a value.
//
// Not its job: to leave this folder. `parseExpression` and `evaluate` each catch it once and return data instead;
// nothing else may catch it, and nothing outside may see it.

import type { ExpressionCode } from "./expression-code.ts";

export class ExpressionFailure extends Error {
  override readonly name: string = "ExpressionFailure";
  readonly code: ExpressionCode;
  /** Offset in the source, when the failure has a place there. */
  readonly at: number | undefined;

  constructor(code: ExpressionCode, message: string, at?: number) {
    super(message);
    this.code = code;
    this.at = at;
  }
}

export function fail(code: ExpressionCode, message: string, at?: number): never {
  throw new ExpressionFailure(code, message, at);
}
