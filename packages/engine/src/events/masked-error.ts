// A fault as it is told to whoever listens: an error of a user's function may have a secret in its text (DATA-9).

import { SegnoError } from "@segno/kernel";
import type { TextMask } from "./masked-logger.ts";
import { plainFields } from "./plain-fields.ts";

/** The error itself where no secret shows in it; otherwise a copy of what can be told. Never throws. */
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

/** A hostile proxy may throw when it is asked what it is. */
function isError(error: unknown): error is Error {
  try {
    return error instanceof Error;
  } catch {
    return false;
  }
}

/** Neither its cause nor other fields are part of the copy: each of them may have the secret again. */
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
