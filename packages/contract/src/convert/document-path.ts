// Maps a path in a definition to the path in the document where the author wrote the value.
//
// The two differ for actions: `action.script` is written as `run`, `action.url` as `http.url`. Other differences are shorthands
// (`retry: 3`): there the exact path does not exist in the document, and the nearest enclosing path is used.

import type { ActionDefinition, Definition, JsonPath, StepDefinition } from "@segno/kernel";

/** The field of the action whose value the document has directly under the key of the action's kind. */
const DIRECT_FIELD: Readonly<Record<ActionDefinition["kind"], string | undefined>> = {
  run: "script",
  exec: "argv",
  agent: "agent",
  workflow: "workflow",
  http: undefined,
  map: undefined,
  repeat: undefined,
  wait: undefined,
  approve: undefined,
  barrier: undefined,
};

type PathPart = string | number;

export function documentPath(definition: Definition, path: JsonPath): JsonPath {
  return path[0] === "steps" ? ["steps", ...stepListPath(definition.steps, path.slice(1))] : path;
}

function stepListPath(steps: readonly StepDefinition[], path: JsonPath): readonly PathPart[] {
  const [index, key, ...rest] = path;
  const step = typeof index === "number" ? steps[index] : undefined;
  if (step === undefined || index === undefined || key === undefined) return path;
  if (key === "action") return [index, ...actionPath(step.action, rest)];
  if (key === "compensate" && rest[0] === "action" && step.compensate !== undefined) {
    return [index, key, ...actionPath(step.compensate.action, rest.slice(1))];
  }
  return path;
}

function actionPath(action: ActionDefinition, path: JsonPath): readonly PathPart[] {
  const [field, ...rest] = path;
  if (field === undefined) return [action.kind];
  if (field === DIRECT_FIELD[action.kind]) return [action.kind, ...rest];
  if ((action.kind === "map" || action.kind === "repeat") && field === "steps")
    return [action.kind, "steps", ...stepListPath(action.steps, rest)];
  return [action.kind, ...path];
}
