// Loads a template: text in, a frozen template out, or one error with all problems.
//
//   T1. A template is checked whole before anything is created: ids, dependencies, cycles, parameters in texts, dates.

import { readFileSync } from "node:fs";
import { loadDocument, toDuration } from "@segno/contract/document-models";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import type { AgentConfiguration } from "../agents/agent-configuration.ts";
import { isDate } from "./deadline.ts";
import { templateProblems } from "./template-problems.ts";
import { templateSchema, type RawAgentConfiguration, type RawTask, type RawTemplate } from "./template-schema.ts";
import type { CodeTemplate, TemplateTask } from "./template.ts";

/** The text of a template. */
export interface TemplateText {
  readonly text: string | Uint8Array;
  /** The name of the file, for messages. */
  readonly file?: string;
}

/** Reads a template from a file, or from its text. */
export function loadTemplate(source: string | TemplateText): CodeTemplate {
  const { text, file = "template" } =
    typeof source === "string" ? { text: readFileSync(source), file: source } : source;
  return deepFreeze(toTemplate(loadDocument(text, { schema: templateSchema, check: templateProblems }, { file })));
}

function toTemplate(raw: RawTemplate): CodeTemplate {
  const { name, description, parameters = {}, policies = {}, agent, setup = [], budgetUsd, tasks } = raw;
  const { agents = {}, workspaces = "worktree", sample, forge } = raw;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    parameters,
    policies,
    ...(agent === undefined ? {} : { agent }),
    ...(sample === undefined ? {} : { sample }),
    agents: Object.fromEntries(Object.entries(agents).map(([agentName, each]) => [agentName, toAgent(each)])),
    workspaces,
    setup,
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    ...(forge === undefined ? {} : { forge }),
    tasks: tasks.map(toTask),
  };
}

/** The check has seen exactly one of the keys that say what the agent is. */
function toAgent({ stall, ...agent }: RawAgentConfiguration): AgentConfiguration {
  return { ...(agent as AgentConfiguration), ...(stall === undefined ? {} : { stallMs: toDuration(stall) }) };
}

function toTask(raw: RawTask): TemplateTask {
  const { id, title = id, acceptanceCriteria = [], dependsOn = [], context = {}, priority = 0, touches = [] } = raw;
  const { type = "task", exclusive = false, deadline, agent, checks, instructions } = raw;
  return {
    id,
    title,
    instructions,
    acceptanceCriteria,
    dependsOn,
    context,
    priority,
    type,
    touches,
    exclusive,
    ...(agent === undefined ? {} : { agent }),
    ...(checks === undefined ? {} : { checks }),
    ...(deadline === undefined ? {} : { deadline: isDate(deadline) ? deadline : toDuration(deadline) }),
  };
}
