import type { Fuel } from "./fuel.ts";
import { textSize } from "./json-size.ts";

/**
 * Settles the price of a text that was made and paid for by its length: quotes, escapes and wide characters are known
 * only now (FUEL-1, FUEL-3).
 */
export function madeText(text: string, paid: number, fuel: Fuel): string {
  fuel.produce(textSize(text, Infinity) - paid);
  return text;
}
