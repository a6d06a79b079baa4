// A template: tasks for coding agents, with parameters (CODE-2).

import type { DurationMs, JsonObject } from "@segno/kernel";
import type { AgentConfiguration } from "../agents/agent-configuration.ts";
import type { ForgeConfiguration } from "../model/forge-configuration.ts";
import type { MergePolicyName } from "../model/merge-policy-name.ts";
import type { ParameterValue } from "../model/parameter-values.ts";

/** A loaded template: the tasks of a code workflow, their agents and policies. */
export interface CodeTemplate {
  readonly name: string;
  readonly description?: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly policies: TemplatePolicies;
  /** The agent of tasks that name none. */
  readonly agent?: string;
  /** A folder beside the template from which a repository is made if none is named, for trying the template out. */
  readonly sample?: string;
  /** Agents by name, beside the presets. */
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  /** Whether agents work in worktrees of the repository, or in clones with a git directory of their own. */
  readonly workspaces: WorkspaceKind;
  /** Commands that prepare each new workspace, once, before its agent starts or before its checks run. */
  readonly setup: readonly string[];
  /** The workflow stops if its agents report a higher cost in US dollars. */
  readonly budgetUsd?: number;
  /** The forge that keeps the pull requests. Without a forge they are kept in the repository. */
  readonly forge?: ForgeConfiguration;
  readonly tasks: readonly TemplateTask[];
}

/** Whether agents work in worktrees or in clones. */
export type WorkspaceKind = "worktree" | "clone";

/** A parameter without a default must be given. */
export interface Parameter {
  readonly type: "string" | "number" | "boolean";
  readonly description?: string;
  readonly default?: ParameterValue;
  /** The only values that are allowed. */
  readonly enum?: readonly ParameterValue[];
}

/** The merge policies and checks of a template. */
export interface TemplatePolicies {
  readonly step?: MergePolicyName;
  readonly workflow?: MergePolicyName;
  /** Commands that must succeed on the merged files. A task may have checks of its own. */
  readonly checks?: readonly string[];
}

/** A task of a template. */
export interface TemplateTask {
  readonly id: string;
  readonly title: string;
  readonly instructions: string;
  readonly acceptanceCriteria: readonly string[];
  readonly dependsOn: readonly string[];
  /** Data for the agent, beside the instructions. */
  readonly context: JsonObject;
  readonly agent?: string;
  readonly priority: number;
  readonly type: string;
  /** A date, or the time that the task may take from the start of the workflow. */
  readonly deadline?: string | DurationMs;
  readonly checks?: readonly string[];
  /** Patterns of the files that the task will change. Of tasks that touch the same files, each waits until the other has landed. */
  readonly touches: readonly string[];
  /** Whether no other task runs at the same time. */
  readonly exclusive: boolean;
}
