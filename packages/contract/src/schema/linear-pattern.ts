// Regular expressions of users run in linear time, by RE2's algorithm; no pattern can hang a process.

import { createRequire } from "node:module";

import type { RE2JS } from "re2js";

interface RegularExpression {
  test(text: string): boolean;
}

const require = createRequire(import.meta.url);
let engine: typeof RE2JS | undefined;

/** Throws where RE2 has no such syntax: look-around, back-references, counts above 1,000. */
export function linearPattern(pattern: string): RegularExpression {
  engine ??= (require("re2js") as { RE2JS: typeof RE2JS }).RE2JS;
  return engine.compile(engine.translateRegExp(pattern));
}
