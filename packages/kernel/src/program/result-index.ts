// The child whose output is the output of an item of a map, or of an iteration of a repetition.

import type { MapAction, RepeatAction } from "../model/definition.ts";
import type { JsonPath } from "../model/json.ts";
import type { ProblemCollector } from "./problem-collector.ts";
import type { Program } from "./program.ts";

/** The last step if the action names none. A `result` that is not a step of the action is reported at `path`. */
export function resultIndex(
  { kind, steps, result }: MapAction | RepeatAction,
  { graph }: Program,
  path: JsonPath,
  problems: ProblemCollector,
): number {
  if (result === undefined) return steps.length - 1;
  const index = graph.indexById.get(result);
  if (index === undefined)
    problems.structural("UNKNOWN_RESULT", [...path, "result"], `\`${result}\` is not a step of this ${kind}`);
  return index ?? 0;
}
