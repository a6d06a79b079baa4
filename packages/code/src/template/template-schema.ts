// The model of a template document.

import {
  anyText,
  boolean,
  durationSchema,
  json,
  list,
  nameSchema,
  number,
  oneOf,
  record,
  strictObject,
  string,
  union,
  wholeNumber,
  workflowNameSchema,
} from "@segno/contract/document-models";
import type { JsonObject } from "@segno/kernel";
import type { z } from "zod";
import type { MergePolicyName } from "../model/merge-policy-name.ts";
import { PRESETS, type PresetName } from "../agents/presets.ts";
import type { Parameter, TemplatePolicies, WorkspaceKind } from "./template.ts";

export interface RawTemplate {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly policies?: TemplatePolicies;
  readonly agent?: string;
  readonly sample?: string;
  readonly agents?: Readonly<Record<string, RawAgentConfiguration>>;
  readonly workspaces?: WorkspaceKind;
  readonly setup?: readonly string[];
  readonly budgetUsd?: number;
  readonly tasks: readonly RawTask[];
}

/** Exactly one of `preset`, `command` and `acp`. */
export interface RawAgentConfiguration {
  readonly preset?: PresetName;
  readonly command?: readonly string[];
  readonly acp?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly inherits?: readonly string[];
  readonly stall?: string | number;
}

export interface RawTask {
  readonly id: string;
  readonly title?: string;
  readonly instructions: string;
  readonly acceptanceCriteria?: readonly string[];
  readonly dependsOn?: readonly string[];
  readonly context?: JsonObject;
  readonly agent?: string;
  readonly priority?: number;
  readonly type?: string;
  readonly deadline?: string | number;
  readonly checks?: readonly string[];
  readonly touches?: readonly string[];
  readonly exclusive?: boolean;
}

/** A task id is part of a step id, of a branch name and of a folder name. */
const taskIdSchema = string("an id: a lower-case letter, then lower-case letters, digits, `_` and `-`", {
  pattern: /^[a-z][a-z0-9_-]*$/u,
  max: 64,
});

const parameterName = string("the name of a parameter: a letter or `_`, then letters, digits and `_`", {
  pattern: /^[A-Za-z_][A-Za-z0-9_]*$/u,
  max: 128,
});

const parameterValue = union([anyText(), number(-Infinity, Infinity), boolean()], "text, a number, `true` or `false`");

const parameterSchema: z.ZodType<Parameter> = strictObject(
  {
    type: oneOf("string", "number", "boolean"),
    description: anyText().exactOptional(),
    default: parameterValue.exactOptional(),
    enum: list(parameterValue, "a list of allowed values", 1).exactOptional(),
  },
  "a parameter such as `{ type: string }`",
);

export const policyNameSchema: z.ZodType<MergePolicyName> = oneOf(
  "auto",
  "checks",
  "pr_and_merge",
  "pr_and_notify",
  "manual",
);
const checks = list(string("a command"), "a list of commands");

const policiesSchema: z.ZodType<TemplatePolicies> = strictObject(
  {
    step: policyNameSchema.exactOptional(),
    workflow: policyNameSchema.exactOptional(),
    checks: checks.exactOptional(),
  },
  "a map of policies",
);

const taskSchema: z.ZodType<RawTask> = strictObject(
  {
    id: taskIdSchema,
    title: string().exactOptional(),
    instructions: string("instructions for the agent"),
    acceptanceCriteria: list(string(), "a list of criteria").exactOptional(),
    dependsOn: list(string("the id of a task"), "a list of task ids").exactOptional(),
    context: record(string(), json, "a map").exactOptional(),
    agent: nameSchema("an agent").exactOptional(),
    priority: wholeNumber(-1000, 1000).exactOptional(),
    type: string("the type of the task, such as `feature`").exactOptional(),
    deadline: union(
      [string("a date", { pattern: /^\d{4}-/u }), durationSchema],
      "a date such as `2026-12-01`, or a duration such as `2h`",
    ).exactOptional(),
    checks: checks.exactOptional(),
    touches: list(string("a pattern of paths"), "a list of patterns of paths").exactOptional(),
    exclusive: boolean().exactOptional(),
  },
  "a task",
);

const programSchema = list(string("a program or an argument"), "a program and its arguments", 1);

const agentSchema: z.ZodType<RawAgentConfiguration> = strictObject(
  {
    preset: oneOf(...(Object.keys(PRESETS) as [PresetName, ...PresetName[]])).exactOptional(),
    command: programSchema.exactOptional(),
    acp: programSchema.exactOptional(),
    env: record(string("the name of a variable"), anyText(), "a map of variables").exactOptional(),
    inherits: list(string("the name of a variable"), "a list of names of variables").exactOptional(),
    stall: durationSchema.exactOptional(),
  },
  "an agent such as `{ preset: claude }`, `{ command: [node, agent.mjs] }` or `{ acp: [gemini, --acp] }`",
);

export const templateSchema: z.ZodType<RawTemplate> = strictObject(
  {
    name: workflowNameSchema,
    description: anyText().exactOptional(),
    parameters: record(parameterName, parameterSchema, "a map of parameters").exactOptional(),
    policies: policiesSchema.exactOptional(),
    agent: nameSchema("an agent").exactOptional(),
    sample: string("a folder").exactOptional(),
    agents: record(nameSchema("an agent"), agentSchema, "a map of agents").exactOptional(),
    workspaces: oneOf("worktree", "clone").exactOptional(),
    setup: list(string("a command"), "a list of commands").exactOptional(),
    budgetUsd: number(0, 1_000_000).exactOptional(),
    tasks: list(taskSchema, "a list of tasks", 1),
  },
  "a template",
);
