// Regular expressions of users run in linear time, by RE2's algorithm; no pattern can hang a process.

import { RE2JS } from "re2js";

interface RegularExpression {
  test(text: string): boolean;
}

/** Throws where RE2 has no such syntax: look-around, back-references, counts above 1,000. */
export function linearPattern(pattern: string): RegularExpression {
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}
