// Reads a document of any kind: checks the text and parses it to JSON with positions, or throws an error with all problems.

import { ContractError } from "../errors/contract-error.ts";
import type { ReadDocument } from "./json-reader.ts";
import { locatedProblems } from "./located-problems.ts";
import { parseDocument } from "./parse-document.ts";
import { UnreadableDocument } from "./node-problem.ts";
import { checkSource, readSource, SourceText } from "./source-text.ts";

/** The value of a document, the position of each of its parts, and the name of the file for messages. */
export interface SourceDocument extends ReadDocument {
  readonly file: string;
  readonly text: SourceText;
}

export function readDocument(content: string | Uint8Array, file: string): SourceDocument {
  const text = attempt(file, undefined, () => readSource(content));
  attempt(file, text, () => checkSource(text));
  return { ...attempt(file, text, () => parseDocument(text)), file, text };
}

function attempt<Result>(file: string, source: SourceText | undefined, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableDocument)
      throw new ContractError(locatedProblems(error.problems, file, source ?? new SourceText("")));
    throw error;
  }
}
