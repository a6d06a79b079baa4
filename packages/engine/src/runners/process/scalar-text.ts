// Text for a command's arguments and environment, which can hold nothing else.

import type { Json } from "@segno/kernel";

/** Numbers and booleans as text; nothing for what has no text of its own. */
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
