// The problems of a template that its shape does not show: between tasks, and between texts and parameters.

import { closest, compileDefinition, stepId, type Json, type JsonPath, type Problem } from "@segno/kernel";
import { parameterProblem } from "./parameter-values.ts";
import { referencesIn } from "./parameter-texts.ts";
import { isDate } from "./deadline.ts";
import type { RawTask, RawTemplate } from "./template-schema.ts";

export function templateProblems(template: RawTemplate): readonly Problem[] {
  return [
    ...defaultProblems(template),
    ...agentProblems(template),
    ...template.tasks.flatMap((task, index) => deadlineProblems(task, index)),
    ...template.tasks.flatMap((task, index) => textProblems(template, task, index)),
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

function textProblems({ parameters = {} }: RawTemplate, task: RawTask, index: number): readonly Problem[] {
  const names = Object.keys(parameters);
  return textsIn(task as unknown as Json, ["tasks", index]).flatMap(([path, text]) =>
    referencesIn(text).flatMap((reference) => {
      if (reference.name === undefined)
        return [problem(path, `expected \`\${ params.name }\`, found \`${reference.source}\``)];
      if (names.includes(reference.name)) return [];
      const meant = closest(reference.name, names);
      const hint = meant === undefined ? {} : { hint: `did you mean \`params.${meant}\`?` };
      return [{ ...problem(path, `the template has no parameter \`${reference.name}\``), ...hint }];
    }),
  );
}

function* walk(value: Json, path: JsonPath): Generator<readonly [JsonPath, string]> {
  if (typeof value === "string") yield [path, value];
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* walk(item, [...path, index]);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) yield* walk(item, [...path, key]);
}

function textsIn(task: Json, path: JsonPath): readonly (readonly [JsonPath, string])[] {
  return [...walk(task, path)];
}

function problem(path: JsonPath, message: string): Problem {
  return { code: "TEMPLATE_INVALID", path, message };
}
