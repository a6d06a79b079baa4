// The problems of the graph as messages, with their paths in the definition.

import type { Problem } from "../errors/problem.ts";
import type { Suggestions } from "../errors/suggestion.ts";
import type { StepDefinition } from "../model/definition.ts";
import type { GraphProblem } from "../graph/graph-builder.ts";

export function graphProblems(
  steps: readonly StepDefinition[],
  problems: readonly GraphProblem[],
  suggestions: Suggestions,
): readonly Problem[] {
  if (problems.length === 0) return [];
  const ids = steps.map(({ id }) => id as string);
  const shared = sharedNames(steps);
  return problems.map((problem) => {
    switch (problem.kind) {
      case "duplicate-id":
        return duplicate(steps, problem.step, problem.first);
      case "unknown-dependency":
        return unknown(steps, problem, suggestions.closest(problem.id, ids));
      case "cycle":
        return cycle(steps, problem.path, shared);
    }
  });
}

function duplicate(steps: readonly StepDefinition[], step: number, first: number): Problem {
  const message = `the id \`${steps[step]!.id}\` is already used by step ${first + 1}`;
  return { code: "DUPLICATE_STEP", path: ["steps", step, "id"], message, hint: "names may repeat, ids may not" };
}

function unknown(
  steps: readonly StepDefinition[],
  { step, position, id }: Extract<GraphProblem, { readonly kind: "unknown-dependency" }>,
  near: string | undefined,
): Problem {
  const message = `\`${steps[step]!.id}\` depends on \`${id}\`, which is not a step of this workflow`;
  const problem = { code: "UNKNOWN_DEPENDENCY", path: ["steps", step, "dependsOn", position], message } as const;
  return near === undefined ? problem : { ...problem, hint: `did you mean \`${near}\`?` };
}

function cycle(steps: readonly StepDefinition[], path: readonly number[], shared: ReadonlySet<string>): Problem {
  const first = path[0]!;
  const closing = path.at(-2)!;
  const message = `these steps wait for each other: ${path.map((step) => label(steps[step]!, shared)).join(" -> ")}`;
  const position = steps[first]!.dependsOn?.findIndex(({ step }) => step === steps[closing]!.id) ?? -1;
  const keyPath = position >= 0 ? ["dependsOn", position] : [];
  return {
    code: "DEPENDENCY_CYCLE",
    path: ["steps", first, ...keyPath],
    message,
    hint: "an arrow points to the step that waits; remove one dependency of the cycle",
  };
}

/** The name of a step, and its id too if several steps have that name (GRAPH-1). */
function label({ id, name }: StepDefinition, shared: ReadonlySet<string>): string {
  if (name === undefined || name === id) return id;
  return shared.has(name) ? `${name} (${id})` : name;
}

/** Names that more than one step has. */
function sharedNames(steps: readonly StepDefinition[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { name } of steps) {
    if (name === undefined) continue;
    if (seen.has(name)) shared.add(name);
    seen.add(name);
  }
  return shared;
}
