import { finite } from "../arithmetic.ts";
import type { FunctionDefinition } from "./function-definition.ts";

export const NUMBER_FUNCTIONS: readonly FunctionDefinition[] = [
  { name: "abs", arity: [1, 1], run: (call) => Math.abs(call.number(0)) },
  { name: "ceil", arity: [1, 1], run: (call) => finite(Math.ceil(call.number(0))) },
  { name: "floor", arity: [1, 1], run: (call) => finite(Math.floor(call.number(0))) },
  { name: "sum", arity: [1, 1], run: (call) => finite(sum(call.numbers(0))) },
  {
    name: "avg",
    arity: [1, 1],
    run: (call) => {
      const numbers = call.numbers(0);
      return numbers.length === 0 ? null : finite(sum(numbers) / numbers.length);
    },
  },
];

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
