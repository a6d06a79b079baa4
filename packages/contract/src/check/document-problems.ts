// Collects the problems of a document. Paths are those of the document.

import type { JsonPath, Problem } from "@segno/kernel";

import type { DocumentErrorCode } from "../errors/error-codes.ts";

export interface DocumentProblem extends Problem {
  /** Whether the problem is shown at the key or at its value. */
  readonly target: "value" | "key";
  /** For an unknown key, the key that was probably meant, so that its absence is not reported as well. */
  readonly meant?: string;
}

export class DocumentProblems {
  readonly all: DocumentProblem[] = [];

  add(code: DocumentErrorCode, path: JsonPath, message: string, hint?: string): void {
    this.all.push({ code, path, message, target: "value", ...(hint === undefined ? {} : { hint }) });
  }

  addAtKey(code: DocumentErrorCode, path: JsonPath, message: string, hint?: string): void {
    this.all.push({ code, path, message, target: "key", ...(hint === undefined ? {} : { hint }) });
  }

  addUnknownKey(path: JsonPath, message: string, meant: string | undefined): void {
    const problem = { code: "UNKNOWN_KEY", path, message, target: "key" } as const;
    this.all.push(meant === undefined ? problem : { ...problem, meant, hint: `did you mean \`${meant}\`?` });
  }
}
