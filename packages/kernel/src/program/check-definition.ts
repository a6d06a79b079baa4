// Checks that need neither expressions nor an order: ids, fallbacks, resources, waits, paths of variables. For a disabled step only
// its own shape is checked, and not the names that it refers to (GRAPH-5).

import type { Definition, StepDefinition } from "../model/definition.ts";
import { isForbiddenKey, type JsonPath } from "../model/json.ts";
import { COMPENSATE, isEnabled } from "../model/policy.ts";
import { parseVariablePath, type VariablePath } from "../data/variable-path.ts";
import { checkWaits } from "./check-waits.ts";
import { declaredSecrets, resourceNames } from "./declared-names.ts";
import type { ProblemCollector } from "./problem-collector.ts";
import { undeclaredSecret } from "./roots.ts";
import { unconditionalCalls } from "./unconditional-calls.ts";
import type { CompileScope } from "./compile-scope.ts";

const STEP_ID = /^[A-Za-z_][A-Za-z0-9_-]*$/u;
const RESERVED_HINT = "use another word, such as `undo`";

export function checkDefinition(definition: Definition, scope: CompileScope, problems: ProblemCollector): void {
  if (scope.scope === "workflow") checkPaths(definition.readOnly, ["readOnly"], problems);
  const secrets = declaredSecrets(definition);
  definition.steps.forEach((step, index) => {
    checkId(step, index, problems);
    checkPaths(step.private, ["steps", index, "private"], problems);
    checkWaits(step, index, problems);
    if (!isEnabled(step)) return;
    checkResources(definition, step, index, problems);
    if (secrets !== undefined) checkSecrets(secrets, step, index, problems);
  });
  checkFallbacks(definition.steps, problems);
  if (scope.scope === "workflow") checkOwnCalls(definition, problems);
}

export function readOnlyPaths(definition: Definition): readonly VariablePath[] {
  return (definition.readOnly ?? []).flatMap((text) => {
    const path = parseVariablePath(text);
    return path === undefined ? [] : [path];
  });
}

function checkId(step: StepDefinition, index: number, problems: ProblemCollector): void {
  if (step.id === COMPENSATE) {
    const why = "`x/compensate` is the name of the compensation of `x`";
    problems.structural(
      "STEP_ID_INVALID",
      ["steps", index, "id"],
      `\`${step.id}\` cannot be an id: ${why}`,
      RESERVED_HINT,
    );
    return;
  }
  if (STEP_ID.test(step.id) && !isForbiddenKey(step.id)) return;
  const hint = "an id is a letter or `_`, then letters, digits, `_` and `-`";
  problems.structural("STEP_ID_INVALID", ["steps", index, "id"], `\`${step.id}\` cannot be an id`, hint);
}

function checkPaths(
  paths: readonly string[] | undefined,
  at: readonly (string | number)[],
  problems: ProblemCollector,
): void {
  paths?.forEach((text, position) => {
    if (parseVariablePath(text) !== undefined) return;
    problems.structural(
      "VARIABLE_PATH_INVALID",
      [...at, position],
      `\`${text}\` is not a path of variables`,
      "write it as `variables.name` or `variables.group.name`",
    );
  });
}

function checkResources(definition: Definition, step: StepDefinition, index: number, problems: ProblemCollector): void {
  if (definition.resources === undefined) return;
  for (const [name, amount] of Object.entries(step.resources ?? {})) {
    const at = ["steps", index, "resources", name];
    const resource = Object.hasOwn(definition.resources, name) ? definition.resources[name] : undefined;
    if (resource === undefined) {
      const hint = problems.didYouMean(name, resourceNames(definition));
      problems.structural("UNKNOWN_RESOURCE", at, `the workflow has no resource \`${name}\``, hint);
      continue;
    }
    const most = resource.kind === "capacity" ? resource.capacity : resource.rate;
    if (amount > most)
      problems.structural(
        "RESOURCE_TOO_LARGE",
        at,
        `\`${step.id}\` requires ${amount} of \`${name}\`, but the limit is ${most}: it would wait forever`,
      );
  }
}

function checkSecrets(
  known: ReadonlySet<string>,
  step: StepDefinition,
  index: number,
  problems: ProblemCollector,
): void {
  const check = (names: readonly string[] | undefined, path: JsonPath): void =>
    names?.forEach((name, position) => {
      if (!known.has(name)) undeclaredSecret(name, [...path, position], known, problems);
    });
  check(step.secrets, ["steps", index, "secrets"]);
  check(step.compensate?.secrets, ["steps", index, "compensate", "secrets"]);
}

/** STATE-8: a fallback has one primary and no dependencies, and no step depends on it by its own id. */
function checkFallbacks(steps: readonly StepDefinition[], problems: ProblemCollector): void {
  const primaries = new Map<string, StepDefinition>();
  const indexById = new Map(steps.map((step, index) => [step.id as string, index]));
  steps.forEach((step, index) => {
    if (step.fallback === undefined) return;
    const at = ["steps", index, "fallback"];
    const target = indexById.get(step.fallback);
    const primary = primaries.get(step.fallback);
    if (target === undefined) {
      if (!isEnabled(step)) return;
      problems.relational(
        "UNKNOWN_FALLBACK",
        at,
        `the fallback \`${step.fallback}\` is not a step of this workflow`,
        problems.didYouMean(step.fallback, indexById.keys()),
      );
    } else if (primary !== undefined) {
      problems.relational(
        "FALLBACK_SHARED",
        at,
        `\`${step.fallback}\` is already the fallback of \`${primary.id}\``,
        "a fallback belongs to one step only; copy it under another id",
      );
    } else {
      primaries.set(step.fallback, step);
      if (isEnabled(step) && isEnabled(steps[target]!) && (steps[target]!.dependsOn?.length ?? 0) > 0) {
        problems.relational(
          "FALLBACK_DEPENDS",
          ["steps", target, "dependsOn"],
          `\`${step.fallback}\` is a fallback and starts when \`${step.id}\` fails; it cannot wait for other steps too`,
          "remove its `dependsOn`; it can read the same values as its primary",
        );
      }
    }
  });
  steps.forEach((step, index) => {
    step.dependsOn?.forEach((dependency, position) => {
      const primary = primaries.get(dependency.step);
      if (primary !== undefined && primary !== step && isEnabled(step)) {
        problems.relational(
          "FALLBACK_NEEDED",
          ["steps", index, "dependsOn", position],
          `\`${dependency.step}\` is the fallback of \`${primary.id}\` and has no dependants of its own`,
          `depend on \`${primary.id}\`: if the fallback ran, its output is the fallback's output`,
        );
      }
    });
  });
}

/** BEYOND-1: a cycle over several workflows is found when one of them starts; a workflow that calls itself is found here. */
function checkOwnCalls({ name, version, steps }: Definition, problems: ProblemCollector): void {
  const own = version === undefined ? [name] : [name, `${name}@${version}`];
  for (const { index, workflow } of unconditionalCalls(steps)) {
    if (!own.includes(workflow)) continue;
    problems.structural(
      "WORKFLOW_CYCLE",
      ["steps", index, "action", "workflow"],
      `\`${steps[index]!.id}\` calls \`${workflow}\`, which is its own workflow, so an execution could never end`,
      "for a loop use `repeat`; or give the step a `when` that becomes false",
    );
  }
}
