// What is said of an option that is none. Types keep most of them out; whoever writes plain JavaScript finds them here, and
// not as a hang or a TypeError far away.

import { closest, SegnoError } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";

export function invalidOption(option: string, expected: string, found: unknown): SegnoError {
  return new SegnoError("OPTION_INVALID", `\`${option}\` is ${expected}, not ${describeValue(found)}`);
}

/** `what` begins the message: "an engine", for example. */
export function unknownOption(what: string, option: string, known: readonly string[]): SegnoError {
  const near = closest(option, known);
  const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
  return new SegnoError("OPTION_INVALID", `${what} has no option \`${option}\`${hint}`);
}
