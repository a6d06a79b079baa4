// The programs under `@example` in the TSDoc comments of the published exports, and the lines that they print.

import { apiPages } from "./api-document.ts";

export interface ApiExample {
  /** The export, or the member of an export, that the example shows. */
  readonly of: string;
  readonly source: string;
  /** The comments behind calls of `console.log`, in the order in which they stand. */
  readonly prints: string;
}

/** Each example once, also if several entries publish its export. */
export function apiExamples(): readonly ApiExample[] {
  const found = new Map<string, ApiExample>();
  for (const { exports } of apiPages())
    for (const { name, comment, members } of exports) {
      const commented = [
        { of: name, comment },
        ...members.map((member) => ({ of: `${name}.${member.name}`, ...member })),
      ];
      for (const {
        of,
        comment: { examples },
      } of commented)
        for (const source of examples) found.set(source, { of, source: `${source}\n`, prints: printedLines(source) });
    }
  return [...found.values()];
}

/** `console.log(1 + 1); // 2` prints `2`. */
export function printedLines(source: string): string {
  return source
    .split("\n")
    .map((line) => /console\.log\(.*\).* \/\/ (.+)$/u.exec(line)?.[1])
    .filter((line) => line !== undefined)
    .map((line) => `${line}\n`)
    .join("");
}
