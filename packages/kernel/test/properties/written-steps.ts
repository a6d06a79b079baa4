// Steps and problems in the notation of tests.

import { formatJsonPath } from "../../src/model/json.ts";
import type { Definition, StepDefinition } from "../../src/model/definition.ts";
import { stepId } from "../../src/model/units.ts";
import { validateDefinition } from "../../src/program/compile.ts";

export type Rest = Partial<Omit<StepDefinition, "id" | "dependsOn">> & { readonly after?: readonly string[] };

/** A step that runs something; `after: ["a", "~b"]` waits for the success of a and the end of b. */
export function step(id: string, { after, ...rest }: Rest = {}): StepDefinition {
  const dependsOn = after?.map((name) => ({
    step: stepId(name.replace("~", "")),
    on: name.startsWith("~") ? ("settled" as const) : ("succeeded" as const),
  }));
  return {
    id: stepId(id),
    action: { kind: "run", script: "work" },
    ...(dependsOn === undefined ? {} : { dependsOn }),
    ...rest,
  };
}

export function map(steps: readonly StepDefinition[], rest: object = {}): Rest {
  return { action: { kind: "map", over: "input.list", steps, ...rest } };
}

export function workflow(steps: readonly StepDefinition[], rest: object = {}): Definition {
  return { name: "w", steps, ...rest };
}

/** One line for each problem: code, path, message, and the hint after `=>`. */
export function problems(steps: readonly StepDefinition[], rest: object = {}): string[] {
  return validateDefinition(workflow(steps, rest)).map(
    ({ code, path, message, hint }) =>
      `${code} ${formatJsonPath(path)}: ${message}${hint === undefined ? "" : ` => ${hint}`}`,
  );
}

/** Only the codes and paths. */
export function problemPaths(steps: readonly StepDefinition[], rest: object = {}): string[] {
  return problems(steps, rest).map((line) => line.slice(0, line.indexOf(":")));
}

export const READS_A = "${ steps.a.output }";
