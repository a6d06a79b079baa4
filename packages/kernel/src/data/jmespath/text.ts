import type { Fuel } from "./fuel.ts";
import { textSize } from "./json-size.ts";

/**
 * Charges the rest of a new text that was charged by its length: quotes, escapes and wide characters are known only now
 * (FUEL-1, FUEL-3).
 */
export function madeText(text: string, paid: number, fuel: Fuel): string {
  fuel.produce(textSize(text, Infinity) - paid);
  return text;
}
