// A template with values for its parameters: the input of an execution.

import type { Json, JsonObject } from "@segno/kernel";
import { fillParameters } from "./parameter-texts.ts";
import { parameterValues, type GivenValues } from "./parameter-values.ts";
import type { CodeTemplate, TemplateTask } from "./template.ts";
import type { ParameterValues } from "../model/parameter-values.ts";

export interface BoundTemplate {
  readonly template: string;
  readonly parameters: ParameterValues;
  readonly tasks: Readonly<Record<string, TemplateTask>>;
}

export function bindTemplate(template: CodeTemplate, given: GivenValues): BoundTemplate {
  const parameters = parameterValues(template, given);
  const tasks = Object.fromEntries(template.tasks.map((task) => [task.id, bindTask(task, parameters)]));
  return { template: template.name, parameters, tasks };
}

function bindTask(task: TemplateTask, values: ParameterValues): TemplateTask {
  const fill = (text: string): string => fillParameters(text, values);
  return {
    ...task,
    title: fill(task.title),
    instructions: fill(task.instructions),
    acceptanceCriteria: task.acceptanceCriteria.map(fill),
    context: fillAll(task.context, fill) as JsonObject,
  };
}

function fillAll(value: Json, fill: (text: string) => string): Json {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillAll(item as Json, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, fill)]));
}
