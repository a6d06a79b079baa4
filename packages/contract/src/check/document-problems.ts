// Problems of a document, as they are found: paths are the document's own.

import type { JsonPath, Problem } from "@segno/kernel";

import type { DocumentErrorCode } from "../error-codes.ts";

export interface DocumentProblem extends Problem {
  /** Whether it shows at the key or at the value that stands under it. */
  readonly target: "value" | "key";
  /** For an unknown key: the key that was probably meant, so that its absence is not reported too. */
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
