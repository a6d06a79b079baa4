import type { Json } from "../../model/json.ts";
import { fail } from "./expression-failure.ts";
import type { Arithmetic } from "./node.ts";
import { typeName } from "./type-name.ts";

export function calculate(left: Json, operator: Arithmetic, right: Json): number {
  const one = operand(left, operator);
  const other = operand(right, operator);
  if (other === 0 && (operator === "/" || operator === "//" || operator === "%")) {
    fail("EXPRESSION_VALUE", `\`${operator}\` cannot divide by zero`);
  }
  return finite(result(one, operator, other));
}

export function operand(value: Json, operator: string): number {
  if (typeof value === "number") return value;
  return fail("EXPRESSION_TYPE", `\`${operator}\` expects numbers, got ${typeName(value)}`);
}

/** JSON has no infinities, no NaN and, once written and read back, no negative zero. */
export function finite(value: number): number {
  if (!Number.isFinite(value)) fail("EXPRESSION_VALUE", "The result of a calculation is not a finite number");
  return value + 0;
}

function result(left: number, operator: Arithmetic, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "//":
      return Math.floor(left / right);
    case "%":
      return left % right;
  }
}
