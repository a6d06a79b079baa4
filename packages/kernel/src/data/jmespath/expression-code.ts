/** Every code that reading or evaluating an expression can end with. */
export type ExpressionCode =
  | "EXPRESSION_SYNTAX"
  | "EXPRESSION_TOO_LONG"
  | "EXPRESSION_TOO_DEEP"
  | "EXPRESSION_UNKNOWN_FUNCTION"
  | "EXPRESSION_ARITY"
  | "EXPRESSION_TYPE"
  | "EXPRESSION_VALUE"
  | "EXPRESSION_UNDEFINED_VARIABLE"
  | "EXPRESSION_FUEL"
  | "TEMPLATE_MISSING";
