// Errors for unknown options. TypeScript rejects most of them; plain JavaScript gets an error here, instead of a hang
// or a distant TypeError.

import { closest, SegnoError } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";

export function invalidOption(option: string, expected: string, value: unknown): SegnoError {
  return new SegnoError("OPTION_INVALID", `\`${option}\` is ${expected}, not ${describeValue(value)}`);
}

/** `what` begins the message: "an engine", for example. */
export function unknownOption(subject: string, option: string, known: readonly string[]): SegnoError {
  const near = closest(option, known);
  const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
  return new SegnoError("OPTION_INVALID", `${subject} has no option \`${option}\`${hint}`);
}
