// Makes a definition from a document that a program built. The checks are those of a contract's text, without lines and columns.

import { validateDefinition, type Definition, type Json, type Problem } from "@segno/kernel";

import { DocumentProblems } from "../check/document-problems.ts";
import { ruleProblems } from "../check/rule-problems.ts";
import { embeddedSchemaProblems } from "../check/embedded-schemas.ts";
import { shapeProblems } from "../check/shape-problems.ts";
import { definitionFrom } from "../convert/definition-from-document.ts";
import { documentPath } from "../convert/document-path.ts";
import { boundedProblems } from "../document/bounded-problems.ts";
import { contractSchema, type RawContract } from "../models/contract-document.ts";

export type DefinitionResult =
  | { readonly kind: "definition"; readonly definition: Definition }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** Finds the problems of a definition. Steps that are made at run time have another check, because their workflow is unknown. */
type Validate = (definition: Definition) => readonly Problem[];

/** Accepts any JSON and checks whether it is a contract. The paths of problems are those of the document. */
export function toDefinition(document: RawContract, validate: Validate = validateDefinition): DefinitionResult {
  const collector = new DocumentProblems();
  const json = document as unknown as Json;
  shapeProblems(contractSchema, json, collector);
  ruleProblems(json, collector);
  embeddedSchemaProblems(json, collector);
  if (collector.all.length > 0) return { kind: "problems", problems: boundedProblems(collector.all) };
  const definition = definitionFrom(document);
  const problems = validate(definition).map((problem) => ({
    ...problem,
    path: documentPath(definition, problem.path),
  }));
  return problems.length > 0
    ? { kind: "problems", problems: boundedProblems(problems) }
    : { kind: "definition", definition };
}
