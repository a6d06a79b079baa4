// Checks all schemas that users wrote in a contract, at their paths.

import { isJsonArray, isJsonObject, type Json, type JsonPath } from "@segno/kernel";

import { Patterns } from "../schema/linear-pattern.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import type { DocumentProblems } from "./document-problems.ts";

export function embeddedSchemaProblems(document: Json, problems: DocumentProblems): void {
  if (!isJsonObject(document)) return;
  const schemas = new EmbeddedSchemas(problems);
  schemas.check(document["input"], ["input"]);
  schemas.checkSteps(document["steps"], ["steps"]);
}

class EmbeddedSchemas {
  readonly #problems: DocumentProblems;
  /** One budget for all patterns of a document. */
  readonly #patterns = new Patterns();

  constructor(problems: DocumentProblems) {
    this.#problems = problems;
  }

  checkSteps(steps: Json | undefined, path: JsonPath): void {
    if (!isJsonArray(steps)) return;
    for (const [index, step] of steps.entries()) {
      if (!isJsonObject(step)) continue;
      const at = [...path, index];
      const { output, wait, map } = step;
      this.check(step["inputSchema"], [...at, "inputSchema"]);
      if (isJsonObject(output)) this.check(output["schema"], [...at, "output", "schema"]);
      if (isJsonObject(wait)) this.check(wait["schema"], [...at, "wait", "schema"]);
      if (isJsonObject(map)) this.checkSteps(map["steps"], [...at, "map", "steps"]);
    }
  }

  check(schema: Json | undefined, path: JsonPath): void {
    if (!isJsonObject(schema)) return;
    for (const { code, path: inner, message, hint } of schemaProblems(schema, this.#patterns))
      this.#problems.add(code, [...path, ...inner], message, hint);
  }
}
