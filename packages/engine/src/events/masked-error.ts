// Masks a fault before it is reported, because an error of a user function may contain a secret (DATA-9).

import { SegnoError } from "@segno/kernel";
import type { TextMask } from "./masked-logger.ts";
import { plainFields } from "./plain-fields.ts";

/** The error itself if it contains no secret; otherwise a masked copy. Never throws. */
export function maskedError(error: unknown, mask: TextMask): unknown {
  if (mask.isIdle) return error;
  let hasSecret = false;
  const { error: copy } = plainFields({ error }, (text) => {
    const masked = mask.text(text);
    hasSecret ||= masked !== text;
    return masked;
  });
  if (!hasSecret) return error;
  return isError(error) ? maskedCopy(error, mask) : copy;
}

/** A hostile proxy may throw at `instanceof`. */
function isError(error: unknown): error is Error {
  try {
    return error instanceof Error;
  } catch {
    return false;
  }
}

/** The copy has neither the cause nor other fields, because each may contain the secret again. */
function maskedCopy(error: Error, mask: TextMask): Error {
  const read = (key: "name" | "message" | "stack"): string => {
    try {
      return mask.text(String(error[key]));
    } catch {
      return "it cannot be read";
    }
  };
  const copy = error instanceof SegnoError ? new SegnoError(error.code, read("message")) : new Error(read("message"));
  return Object.defineProperties(copy, { name: hiddenProperty(read("name")), stack: hiddenProperty(read("stack")) });
}

function hiddenProperty(value: string): PropertyDescriptor {
  return { value, enumerable: false, configurable: true, writable: true };
}
