// Text for the arguments and environment variables of a command.

import type { Json } from "@segno/kernel";

/** Numbers and booleans as text; `undefined` for objects, lists and null. */
export function scalarText(value: Json): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}
