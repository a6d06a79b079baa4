// Checks all schemas that users wrote in a contract, at their paths.

import { isJsonArray, isJsonObject, type Json, type JsonPath } from "@segno/kernel";

import { defaultProblems } from "../schema/default-problems.ts";
import { Patterns } from "../schema/linear-pattern.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import type { DocumentProblems } from "./document-problems.ts";

export function embeddedSchemaProblems(document: Json, problems: DocumentProblems): void {
  if (!isJsonObject(document)) return;
  const schemas = new EmbeddedSchemas(problems);
  schemas.checkInput(document["input"]);
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
      const { output, wait, approve, map, repeat } = step;
      this.check(step["inputSchema"], [...at, "inputSchema"]);
      if (isJsonObject(output)) this.check(output["schema"], [...at, "output", "schema"]);
      if (isJsonObject(wait)) this.check(wait["schema"], [...at, "wait", "schema"]);
      if (isJsonObject(approve)) this.check(approve["schema"], [...at, "approve", "schema"]);
      if (isJsonObject(map)) this.checkSteps(map["steps"], [...at, "map", "steps"]);
      if (isJsonObject(repeat)) this.checkSteps(repeat["steps"], [...at, "repeat", "steps"]);
    }
  }

  /** Only the input of a workflow has defaults that are used. */
  checkInput(schema: Json | undefined): void {
    if (!this.check(schema, ["input"]) || !isJsonObject(schema)) return;
    for (const { code, path, message } of defaultProblems(schema))
      this.#problems.add(code, ["input", ...path], message);
  }

  /** Whether the schema is valid. */
  check(schema: Json | undefined, path: JsonPath): boolean {
    if (!isJsonObject(schema)) return true;
    const found = schemaProblems(schema, this.#patterns);
    for (const { code, path: inner, message, hint } of found)
      this.#problems.add(code, [...path, ...inner], message, hint);
    return found.length === 0;
  }
}
