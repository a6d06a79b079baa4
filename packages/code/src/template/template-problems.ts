// The problems of a template that its shape does not show: between tasks, and between texts and parameters.

import { closest, compileDefinition, stepId, type Json, type JsonPath, type Problem } from "@segno/kernel";
import { parameterProblem } from "./parameter-values.ts";
import { referencesIn, type ParameterReference } from "./parameter-texts.ts";
import { parameterVariable } from "../model/parameter-values.ts";
import { isDate } from "./deadline.ts";
import type { RawTask, RawTemplate } from "./template-schema.ts";

export function templateProblems(template: RawTemplate): readonly Problem[] {
  return [
    ...defaultProblems(template),
    ...agentProblems(template),
    ...forgeProblems(template),
    ...template.tasks.flatMap((task, index) => deadlineProblems(task, index)),
    ...textProblems(template),
    ...graphProblems(template),
  ];
}

/** Ids that occur twice, unknown dependencies and cycles. The kernel finds them in a graph of the tasks alone. */
function graphProblems({ name, tasks }: RawTemplate): readonly Problem[] {
  const steps = tasks.map(({ id, dependsOn = [] }) => ({
    id: stepId(id),
    action: { kind: "barrier" } as const,
    dependsOn: dependsOn.map((other) => ({ step: stepId(other), on: "succeeded" as const })),
  }));
  const compiled = compileDefinition({ name, steps });
  if (compiled.kind === "program") return [];
  return compiled.problems.map((found) => ({ ...found, path: ["tasks", ...found.path.slice(1)] }));
}

function agentProblems({ agents = {} }: RawTemplate): readonly Problem[] {
  return Object.entries(agents).flatMap(([name, { preset, command, acp }]) => {
    const kinds = [preset, command, acp].filter((kind) => kind !== undefined).length;
    return kinds === 1 ? [] : [problem(["agents", name], "an agent has exactly one of `preset`, `command` and `acp`")];
  });
}

function forgeProblems({ forge }: RawTemplate): readonly Problem[] {
  if (forge?.allowNoChecks !== true || forge.expectedChecks === undefined) return [];
  return [problem(["forge", "allowNoChecks"], "`allowNoChecks` has no effect if `expectedChecks` names checks")];
}

function deadlineProblems({ deadline }: RawTask, index: number): readonly Problem[] {
  if (deadline === undefined) return [];
  const path = ["tasks", index, "deadline"];
  if (isDate(deadline) && Number.isNaN(Date.parse(deadline)))
    return [problem(path, `expected a date such as \`2026-12-01\`, found \`${deadline}\``)];
  return [];
}

function defaultProblems({ parameters = {} }: RawTemplate): readonly Problem[] {
  return Object.entries(parameters).flatMap(([name, parameter]) => {
    if (parameter.default === undefined) return [];
    const message = parameterProblem(parameter, parameter.default);
    return message === undefined ? [] : [problem(["parameters", name, "default"], message)];
  });
}

/** The texts of a task in which parameters are replaced. */
const FILLED_TEXTS: ReadonlySet<unknown> = new Set(["title", "instructions", "acceptanceCriteria", "context"]);
/** The lists of shell commands: of a task, of the policies and of the template. */
const COMMAND_LISTS: ReadonlySet<unknown> = new Set(["checks", "setup"]);

function textProblems(template: RawTemplate): readonly Problem[] {
  const names = Object.keys(template.parameters ?? {});
  return [...walk(template as unknown as Json, [])].flatMap(([path, text]) =>
    referencesIn(text).flatMap((reference) => {
      const message = isFilled(path) ? filledProblem(reference, names) : unfilledProblem(reference, path);
      if (message === undefined) return [];
      const meant = reference.name === undefined ? undefined : closest(reference.name, names);
      const hint = !isFilled(path) || meant === undefined ? {} : { hint: `did you mean \`params.${meant}\`?` };
      return [{ ...problem(path, message), ...hint }];
    }),
  );
}

function isFilled([list, , key]: JsonPath): boolean {
  return list === "tasks" && FILLED_TEXTS.has(key);
}

function filledProblem({ name, source }: ParameterReference, names: readonly string[]): string | undefined {
  if (name === undefined) return `expected \`\${ params.name }\`, found \`${source}\``;
  return names.includes(name) ? undefined : `the template has no parameter \`${name}\``;
}

/** A shell has `${…}` of its own, so only a reference to a parameter is a mistake here. */
function unfilledProblem({ name, source }: ParameterReference, path: JsonPath): string | undefined {
  if (name === undefined) return undefined;
  if (path.some((key) => COMMAND_LISTS.has(key)))
    return `\`${source}\` is not replaced in a command, because a shell could run the value; use \`"$${parameterVariable(name)}"\``;
  return `\`${source}\` is not replaced here, only in the texts of a task: title, instructions, acceptanceCriteria and context`;
}

function* walk(value: Json, path: JsonPath): Generator<readonly [JsonPath, string]> {
  if (typeof value === "string") yield [path, value];
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* walk(item, [...path, index]);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) yield* walk(item, [...path, key]);
}

function problem(path: JsonPath, message: string): Problem {
  return { code: "TEMPLATE_INVALID", path, message };
}
