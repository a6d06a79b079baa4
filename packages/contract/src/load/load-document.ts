// Loads a document of another kind than a contract: text in, a value of the model out, or one error with all problems.

import type { Problem } from "@segno/kernel";
import type { z } from "zod";

import { DocumentProblems } from "../check/document-problems.ts";
import { shapeProblems } from "../check/shape-problems.ts";
import type { LoadOptions } from "../document/load-options.ts";
import { attachPosition, locatedProblems } from "../document/located-problems.ts";
import { readDocument } from "../document/read-document.ts";
import { ContractError } from "../errors/contract-error.ts";

export interface DocumentModel<Value> {
  readonly schema: z.ZodType<Value>;
  /** Finds problems between the parts of a value of the right shape. Their paths are those of the document. */
  readonly check?: (value: Value) => readonly Problem[];
}

export function loadDocument<Value>(
  content: string | Uint8Array,
  { schema, check }: DocumentModel<Value>,
  { file = "document" }: LoadOptions = {},
): Value {
  const document = readDocument(content, file);
  const shape = new DocumentProblems();
  shapeProblems(schema, document.value, shape);
  const isWhole = document.problems.length === 0 && shape.all.length === 0;
  const value = isWhole ? schema.parse(document.value) : undefined;
  const between = value === undefined ? [] : (check?.(value) ?? []);
  const problems = [
    ...document.problems,
    ...shape.all.map((problem) => attachPosition(problem, document, problem.target)),
    ...between.map((problem) => attachPosition(problem, document)),
  ];
  if (problems.length > 0 || value === undefined)
    throw new ContractError(locatedProblems(problems, document.file, document.text));
  return value;
}
