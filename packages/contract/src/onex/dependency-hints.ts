// Suggests a step for an unknown dependency: the step whose name, instead of its id, the author wrote.

import { isJsonArray, isJsonObject, type Json, type JsonPath } from "@segno/kernel";

import type { NodeProblem } from "../document/node-problem.ts";
import { valueAt } from "../json/value-at.ts";
import { STEPS_PATH } from "./misplaced-steps.ts";

export class DependencyHints {
  readonly #document: Json;
  /** Built on first use. Then each lookup takes constant time. */
  #ids: ReadonlyMap<string, string> | undefined;

  constructor(document: Json) {
    this.#document = document;
  }

  /** Returns the problem, with a hint if there is one. */
  addHint(problem: NodeProblem): NodeProblem {
    const written = isDependency(problem.path) ? valueAt(this.#document, problem.path) : undefined;
    if (typeof written !== "string" || problem.hint !== undefined) return problem;
    this.#ids ??= idsByWord(valueAt(this.#document, STEPS_PATH));
    const id = this.#ids.get(written.toLowerCase());
    return id === undefined ? problem : { ...problem, hint: `write the step's \`step_id\`: ${id}` };
  }
}

function isDependency(path: JsonPath): boolean {
  return path.length === STEPS_PATH.length + 3 && path[STEPS_PATH.length + 1] === "depends_on";
}

function idsByWord(steps: Json | undefined): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const step of isJsonArray(steps) ? steps : []) {
    if (!isJsonObject(step)) continue;
    const { step_id: id, step_name: name } = step;
    if (typeof id !== "string") continue;
    if (typeof name === "string" && !ids.has(name.toLowerCase())) ids.set(name.toLowerCase(), id);
  }
  return ids;
}
