// Errors for unknown options. TypeScript rejects most of them; plain JavaScript gets an error here, instead of a hang
// or a distant TypeError.

import { closest, SegnoError } from "@segno/kernel";

export function invalidOption(option: string, expected: string, found: unknown): SegnoError {
  return new SegnoError("OPTION_INVALID", `\`${option}\` is ${expected}, not ${shownOption(found)}`);
}

/** `what` begins the message: "an engine", for example. */
export function unknownOption(what: string, option: string, known: readonly string[]): SegnoError {
  const near = closest(option, known);
  const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
  return new SegnoError("OPTION_INVALID", `${what} has no option \`${option}\`${hint}`);
}

export function shownOption(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
