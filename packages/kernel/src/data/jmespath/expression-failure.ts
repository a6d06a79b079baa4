// The exception that carries a failure inside an expression to the one function that converts it into a value.
//
// It never leaves this folder: `parseExpression` and `evaluate` each catch it once and return data instead. No other code may catch
// it or see it.

import type { ExpressionCode } from "./expression-code.ts";

export class ExpressionFailure extends Error {
  override readonly name: string = "ExpressionFailure";
  readonly code: ExpressionCode;
  /** Offset in the source, if the failure has one. */
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
