// Compiles a repetition (STATE-13): its steps, and the condition that ends it.

import type { RepeatAction, StepDefinition } from "../model/definition.ts";
import type { JsonPath } from "../model/json.ts";
import { DELAY_ID, REPEAT_MAX, REPEAT_MAX_DEFAULT } from "../model/policy.ts";
import type { StepId } from "../model/units.ts";
import { childScopeDefinition, type CompileScope } from "./compile-scope.ts";
import { checkConstantFlag } from "./constant.ts";
import type { ProblemCollector } from "./problem-collector.ts";
import type { CompiledCondition, CompiledWork } from "./program.ts";
import { resultIndex } from "./result-index.ts";
import { compileCondition, untilRoots } from "./roots.ts";
import type { StepCompilation } from "./step-compilation.ts";

export function compileRepeat(action: RepeatAction, index: number, compilation: StepCompilation): CompiledWork {
  const { scope, problems, compileInner } = compilation;
  const path: JsonPath = ["steps", index, "action"];
  checkNumbers(action, path, problems);
  const inside: CompileScope = {
    path,
    scope: "repeat",
    inMap: scope.compileScope.inMap,
    inRepeat: true,
    outer: { scope, step: index, over: undefined },
  };
  let until: CompiledCondition | undefined;
  const steps = childScopeDefinition(scope.definition, withDelay(action));
  const { problems: inner, program } = compileInner(steps, inside, (collector) => {
    if (action.until === undefined) return;
    until = compileCondition(action.until, ["until"], untilRoots(inside), collector);
    if (until !== undefined) checkConstantFlag(until.expression, ["until"], collector);
  });
  problems.addNested(inner);
  if (program === undefined || action.steps.length === 0) return { kind: "call" };
  return {
    kind: "repeat",
    template: program,
    result: resultIndex(action, program, path, problems),
    until,
    isEndedByHandler: action.isEndedByHandler === true,
    max: action.max ?? REPEAT_MAX_DEFAULT,
  };
}

function checkNumbers(
  { steps, until, isEndedByHandler, max }: RepeatAction,
  path: JsonPath,
  problems: ProblemCollector,
): void {
  if (steps.length === 0)
    problems.structural("OUT_OF_RANGE", [...path, "steps"], "a repeat has at least one step, and this one has none");
  if (steps.some(({ id }) => id === DELAY_ID))
    problems.structural("STEP_ID_INVALID", [...path, "steps"], `\`${DELAY_ID}\` is the id of the step that waits`);
  if (max !== undefined && !(Number.isInteger(max) && max >= 1 && max <= REPEAT_MAX))
    problems.structural("OUT_OF_RANGE", [...path, "max"], `\`max\` is a whole number from 1 to ${REPEAT_MAX}`);
  if (until === undefined && isEndedByHandler !== true && max === undefined)
    problems.structural(
      "REPEAT_ENDLESS",
      path,
      "a repeat needs `until`, `max`, or both, and this one has neither",
      "write the condition that ends it as `until`, or the number of iterations as `max`",
    );
}

/** Every iteration but the first begins with a wait. The wait comes last in the list, so that the other steps keep their positions. */
function withDelay({ steps, delay }: RepeatAction): readonly StepDefinition[] {
  const isTaken = steps.some(({ id }) => id === DELAY_ID);
  if (delay === undefined || delay === 0 || isTaken) return steps;
  const wait: StepDefinition = {
    id: DELAY_ID as StepId,
    action: { kind: "wait", on: "duration", for: delay },
    when: "index > `0`",
  };
  const fallbacks = new Set(steps.map(({ fallback }) => fallback));
  const others = steps.map((step) =>
    (step.dependsOn?.length ?? 0) > 0 || fallbacks.has(step.id)
      ? step
      : { ...step, dependsOn: [{ step: DELAY_ID as StepId, on: "succeeded" as const }] },
  );
  return [...others, wait];
}
