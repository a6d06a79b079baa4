// Compiles one step: its expressions, its policies and its work.

import type {
  ActionDefinition,
  RunnableAction,
  CompensationDefinition,
  MapAction,
  StepDefinition,
  Template,
} from "../model/definition.ts";
import type { JsonPath } from "../model/json.ts";
import { COMPENSATE, DELAY_ID, isEnabled, retryPolicy } from "../model/policy.ts";
import type { StepId } from "../model/units.ts";
import { neighbourCount, neighbours, type Graph } from "../graph/graph.ts";
import { findPrimary } from "../graph/reachability.ts";
import type { CompiledTemplate } from "../data/template.ts";
import { parseVariablePath, type VariablePath } from "../data/variable-path.ts";
import { compileOver, labelTemplate } from "./compile-over.ts";
import { checkConstantText } from "./constant.ts";
import type { ProblemCollector } from "./problem-collector.ts";
import { holdsSecret, compileHttpUrl } from "./http-origin.ts";
import { checkInlineScript } from "./inline-script.ts";
import type {
  CompiledCapture,
  CompiledCondition,
  CompiledRead,
  CompiledStep,
  Tolerance,
  CompiledWork,
} from "./program.ts";
import {
  compileCondition,
  compileRead,
  compileSelect,
  labelRoots,
  stepRoots,
  withSecrets,
  type Roots,
} from "./roots.ts";
import { childScopeDefinition, type ReadScope } from "./compile-scope.ts";
import type { StepCompilation } from "./step-compilation.ts";
import { compileRepeat } from "./compile-repeat.ts";
import { resultIndex } from "./result-index.ts";

export function compileStep(step: StepDefinition, index: number, compilation: StepCompilation): CompiledStep {
  const { scope, problems } = compilation;
  const path: JsonPath = ["steps", index];
  const roots = stepRoots({
    step: index,
    inMap: scope.compileScope.inMap,
    inRepeat: scope.compileScope.inRepeat,
    dependencies: dependencyCount(scope.graph, index),
    secrets: compilation.secrets,
  });
  return {
    definition: step,
    when: compileWhen(step, path, roots, problems),
    call: compileCall(step.action, step, path, roots, problems),
    work: compileWork(step.action, index, roots, compilation),
    capture: compileCapture(step, path, compilation),
    retry: retryPolicy(step.retry),
    fallback: fallbackIndex(scope, step),
    primary: findPrimary(scope.graph, index) ?? -1,
    isCleanUp: compilation.chains.isCleanUp[index] === 1,
    compensation:
      step.compensate === undefined ? undefined : compileCompensation(step, step.compensate, path, roots, problems),
  };
}

function compileWhen(
  { when }: StepDefinition,
  path: JsonPath,
  roots: Roots,
  problems: ProblemCollector,
): CompiledCondition | undefined {
  if (when === undefined) return undefined;
  const at: JsonPath = [...path, "when"];
  const condition = compileCondition(when, at, roots, problems);
  if (condition !== undefined) checkConstantText(condition.expression, at, problems);
  return condition;
}

function dependencyCount(graph: Graph, step: number): number {
  const waitsForDelay = neighbours(graph.dependencies, step).some((each) => graph.ids[each] === DELAY_ID);
  const others = (findPrimary(graph, step) === undefined ? 0 : 1) + (waitsForDelay ? 1 : 0);
  return neighbourCount(graph.dependencies, step) - others;
}

function fallbackIndex(scope: ReadScope, step: StepDefinition): number {
  const index = step.fallback === undefined ? undefined : scope.graph.indexById.get(step.fallback);
  return index === undefined || !isEnabled(scope.definition.steps[index]!) ? -1 : index;
}

/** The templates of a call, each under the name that its runner uses. */
interface CallFields {
  readonly input?: Template;
  readonly env?: Readonly<Record<string, Template>>;
  readonly cwd?: Template;
  readonly shell?: readonly string[];
  readonly stdin?: Template;
  readonly secrets?: readonly string[];
}

function compileCall(
  action: ActionDefinition,
  fields: CallFields,
  path: JsonPath,
  roots: Roots,
  problems: ProblemCollector,
): CompiledRead | undefined {
  const parts: [string, CompiledRead][] = [];
  const add = (name: string, template: Template | undefined, at: JsonPath, mayHoldSecrets: boolean): void => {
    if (template === undefined) return;
    parts.push([name, compileRead(template, at, mayHoldSecrets ? withSecrets(roots) : roots, problems)]);
  };
  // The input of a workflow is written to the journal, and a wait or a barrier has no runner that could use a secret.
  add("input", fields.input, [...path, "input"], isCall(action));
  add("env", fields.env, [...path, "env"], true);
  if (action.kind === "run" || action.kind === "exec") {
    add("cwd", fields.cwd, [...path, "cwd"], false);
    add("stdin", fields.stdin, [...path, "stdin"], true);
  }
  if (action.kind === "exec") {
    const at: JsonPath = [...path, "action", "argv"];
    add("argv", action.argv, at, false);
    checkInlineScript(parts.at(-1)![1].template, at, problems);
  }
  if (action.kind === "http") {
    const at: JsonPath = [...path, "action", "url"];
    const index = parts.length;
    const url = compileRead(action.url, at, roots, problems);
    add("headers", action.headers, [...path, "action", "headers"], true);
    add("body", action.body, [...path, "action", "body"], false);
    const usesSecrets = (fields.secrets ?? []).length > 0 || parts.some(([, part]) => holdsSecret(part.template));
    parts.splice(index, 0, ["url", { ...url, template: compileHttpUrl(url.template, usesSecrets, at, problems) }]);
  }
  if (action.kind === "run") {
    add("shell", fields.shell, [...path, "shell"], false);
    checkScript(action.script, [...path, "action", "script"], problems);
  }
  return parts.length === 0 ? undefined : joinParts(parts);
}

function isCall({ kind }: ActionDefinition): boolean {
  return kind === "run" || kind === "exec" || kind === "agent" || kind === "http";
}

function joinParts(parts: readonly (readonly [string, CompiledRead])[]): CompiledRead {
  const template: CompiledTemplate = { kind: "object", entries: parts.map(([name, part]) => [name, part.template]) };
  return { template, references: parts.flatMap(([, part]) => part.references) };
}

/** DATA-7: in a script `${…}` belongs to the shell. Text there that looks like a Segno expression is a mistake. */
const ROOT_IN_SCRIPT =
  /\$\{(?:\s+(?:execution|input|variables|steps|previous|item|index|last|params|secrets)\b|(?:execution|input|variables|steps|previous|item|index|last|params|secrets)\s*\.)[^}]*\}?/u;

function checkScript(script: string, path: JsonPath, problems: ProblemCollector): void {
  const match = ROOT_IN_SCRIPT.exec(script);
  if (match === null) return;
  const hint = `in a script \${…} belongs to the shell; pass the value as \`env: { VALUE: "${match[0]}" }\` and write "$VALUE", or use \`exec\``;
  problems.structural("SCRIPT_TEMPLATE", path, `\`${match[0]}\` is inside a script`, hint);
}

function compileWork(
  action: ActionDefinition,
  index: number,
  roots: Roots,
  compilation: StepCompilation,
): CompiledWork {
  const { problems } = compilation;
  const path: JsonPath = ["steps", index, "action"];
  switch (action.kind) {
    case "run":
    case "exec":
    case "agent":
    case "http":
      return { kind: "call" };
    case "barrier":
      return { kind: "barrier" };
    case "workflow":
      return { kind: "workflow", workflow: action.workflow };
    case "map":
      return compileMap(action, index, roots, compilation);
    case "repeat":
      return compileRepeat(action, index, compilation);
    case "approve": {
      const message =
        action.message === undefined ? undefined : compileRead(action.message, [...path, "message"], roots, problems);
      return { kind: "approval", approve: action, message };
    }
    case "wait":
      if (action.on === "signal")
        return { kind: "signal", signal: action.signal, schema: action.schema, timeout: action.timeout };
      if (action.on === "duration") return { kind: "duration", for: action.for };
      return { kind: "time", until: compileRead(action.until, [...path, "until"], roots, problems) };
  }
}

function compileMap(
  action: MapAction,
  index: number,
  roots: Roots,
  { scope, problems, compileInner }: StepCompilation,
): CompiledWork {
  const path: JsonPath = ["steps", index, "action"];
  const over = compileOver(action.over, [...path, "over"], roots, problems);
  const labelling = labelTemplate(action);
  const label =
    labelling === undefined
      ? undefined
      : compileRead(labelling, [...path, "label"], labelRoots(roots, over?.expression), problems);
  const { problems: inner, program } = compileInner(childScopeDefinition(scope.definition, action.steps), {
    path,
    scope: "map",
    inMap: true,
    inRepeat: scope.compileScope.inRepeat,
    outer: { scope, step: index, over: over?.expression },
  });
  if (action.steps.length === 0)
    problems.structural("OUT_OF_RANGE", [...path, "steps"], "a map has at least one step, and this one has none");
  problems.addNested(inner);
  if (program === undefined || over === undefined || action.steps.length === 0) return { kind: "call" };
  return {
    kind: "items",
    over,
    template: program,
    result: resultIndex(action, program, path, problems),
    tolerance: toTolerance(action.tolerance),
    concurrency: action.concurrency,
    label,
  };
}

function toTolerance(tolerance: number | string | undefined): Tolerance {
  if (typeof tolerance === "string") return { count: 0, share: Number.parseFloat(tolerance) / 100 };
  return { count: tolerance ?? 0, share: 0 };
}

function compileCapture(
  step: StepDefinition,
  path: JsonPath,
  { scope, problems, readOnly }: StepCompilation,
): CompiledCapture | undefined {
  const { output } = step;
  if (output === undefined) return undefined;
  const at: JsonPath = [...path, "output"];
  return {
    select: output.select === undefined ? undefined : compileSelect(output.select, [...at, "select"], problems),
    schema: output.schema,
    to:
      output.to === undefined
        ? undefined
        : checkTarget(output.to, output.merge === "merge", [...at, "to"], { scope, problems, readOnly }),
    merge: output.merge ?? "replace",
  };
}

function checkTarget(
  to: string,
  isMerge: boolean,
  at: JsonPath,
  { scope, problems, readOnly }: Pick<StepCompilation, "scope" | "problems" | "readOnly">,
): VariablePath | undefined {
  const path = parseVariablePath(to);
  if (path === undefined || path.length === 0) {
    problems.structural(
      "VARIABLE_PATH_INVALID",
      at,
      `\`${to}\` is not a variable that can be written`,
      "write it as `variables.name`",
    );
    return undefined;
  }
  if (scope.compileScope.scope !== "workflow") {
    problems.structural(
      "CAPTURE_IN_SCOPE",
      at,
      "a step inside a map or another scope cannot write variables",
      "use the output of the scope, which is the list of the outputs of its children",
    );
  }
  const closed = readOnly.closing(path, isMerge);
  if (closed !== undefined)
    problems.structural(
      "VARIABLE_READ_ONLY",
      at,
      `\`variables.${closed.join(".")}\` is read-only, so nothing can be written to \`${to}\``,
    );
  return path;
}

/** A compensation is an ordinary step, with its own retry and timeout, that may read the step that it undoes. */
function compileCompensation(
  step: StepDefinition,
  undo: CompensationDefinition,
  path: JsonPath,
  roots: Roots,
  problems: ProblemCollector,
): CompiledStep {
  const at: JsonPath = [...path, "compensate"];
  const own: Roots = { ...roots, mayReadItself: true };
  return {
    definition: compensationStep(step, undo),
    when: undefined,
    call: compileCall(undo.action, undo, at, own, problems),
    work: { kind: "call" },
    capture: undefined,
    retry: retryPolicy(undo.retry),
    fallback: -1,
    primary: -1,
    isCleanUp: true,
    compensation: undefined,
  };
}

function compensationStep(step: StepDefinition, undo: CompensationDefinition): StepDefinition {
  const action: RunnableAction = undo.action;
  return { ...undo, id: `${step.id}/${COMPENSATE}` as StepId, action, onError: "continue" };
}
