// The inputs and outputs of the steps of a code workflow. They are written to the journal, so they are JSON and small:
// logs are cut, and files stay in the repository.

import type { AgentConfiguration } from "../agents/agent-configuration.ts";
import type { AgentUsage } from "../agents/agent-event.ts";
import type { ExecutorConfig } from "../config/executor-config.ts";
import type { FixContext } from "../model/error-resolution.ts";
import type { ErrorType } from "../model/error-type.ts";
import type { TaskArtefact } from "../model/execution-session.ts";
import type { ForgeConfiguration } from "../model/forge-configuration.ts";
import type { MergePolicyName } from "../model/merge-policy-name.ts";
import type { ConflictInfo, MergeError } from "../model/merge-result.ts";
import type { ParameterValues } from "../model/parameter-values.ts";
import type { TaskRetryPolicy } from "../model/retry-policy.ts";
import type { WorkflowContext } from "../model/workflow-context.ts";
import type { TemplateTask, WorkspaceKind } from "../template/template.ts";

/** The limits and policies of one execution, from its template and the configuration. */
export interface CodeSettings {
  /** The owner of this execution's claims; by default the executor of the process. It stays the same after a restart. */
  readonly executorId?: string;
  readonly agent?: string;
  /** The top folder of the repository; undefined if the ports of a program are used. */
  readonly repository?: string;
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  readonly workspaces: WorkspaceKind;
  readonly setup: readonly string[];
  /** The budget of the whole workflow. */
  readonly budgetUsd?: number;
  readonly stepPolicy: MergePolicyName;
  readonly workflowPolicy: MergePolicyName;
  readonly checks: readonly string[];
  readonly forge?: ForgeConfiguration;
  /** Whether the ports of a program merge on a forge. */
  readonly usesForge?: boolean;
  /** The module of a custom scheduling strategy: an absolute path. Undefined if the ports of a program are used. */
  readonly schedulingModule?: string;
  readonly autoCreateFixTasks: boolean;
  readonly maxFixAttempts: number;
  readonly maxConcurrentSessions: number;
  readonly preserveOnFailure: boolean;
  readonly cleanupOnSuccess: boolean;
  /** The streams that get the events of this execution; undefined if the ports of a program are used. */
  readonly events?: ExecutorConfig["events"];
  readonly taskTimeoutMs: number;
  /** How many places a session takes that runs alone. */
  readonly exclusivePlaces: number;
  readonly retry: TaskRetryPolicy & { readonly retryableErrors: readonly ErrorType[] };
}

/** A task of the template, or one that appeared in the task backend. */
export interface StepTask extends TemplateTask {
  /** The id in the task backend, if it is not the one that tasks of a template get. */
  readonly backendId?: string;
}

/** The input of an execution. */
export interface CodeInput {
  readonly template: string;
  readonly parameters: ParameterValues;
  readonly tasks: Readonly<Record<string, TemplateTask>>;
  readonly baseBranch: string;
  readonly settings: CodeSettings;
}

export interface SessionInput {
  readonly task: StepTask;
  readonly workflow: WorkflowContext;
  readonly settings: CodeSettings;
  readonly artefacts: Readonly<Record<string, TaskArtefact | null>>;
  readonly fix?: FixInput | null;
  /** The questions of earlier sessions of this task, with their answers. */
  readonly answers?: readonly QuestionAnswer[];
  /** The usage of the sessions that asked them. */
  readonly usage?: AgentUsage;
}

export interface QuestionAnswer {
  readonly question: string;
  /** The comment of the person who approved; null if there was none. */
  readonly answer: string | null;
}

/** The start of a fix: the merge that failed. */
export interface FixInput {
  readonly fixTaskId: string;
  readonly context: FixContext;
  /** The commit whose files the agent gets: the merged files, with conflict markers if there was a conflict. */
  readonly start: string;
  readonly parents: readonly string[];
  readonly conflictedPaths: readonly string[];
}

/** The output of a session. */
export interface WorkValue {
  readonly kind: "changed" | "unchanged";
  readonly branch: string;
  /** The commit with the work; the base commit if nothing was changed. */
  readonly commit: string;
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly summary?: string;
  readonly changedFiles: readonly string[];
  readonly usage: AgentUsage;
  /** Set for a fix that changed nothing: what a person commits in its workspace gets these parents. */
  readonly unfinished?: Pick<FixInput, "parents" | "conflictedPaths">;
}

export interface MergeInput {
  /** Undefined for the landing of the whole workflow. */
  readonly task?: StepTask;
  readonly workflow: WorkflowContext;
  readonly settings: CodeSettings;
  /** Null if the agent of a fix failed; undefined for the landing of the workflow branch. */
  readonly work?: WorkValue | null;
  /** The results of the tasks that the task depends on, for the agents of fixes. */
  readonly artefacts?: SessionInput["artefacts"];
  /** The places of `sessions` that the session of a fix takes; 1 by default, and all of them if the task runs alone. */
  readonly places?: number;
  readonly fixesMade?: number;
  /** The fingerprints of the failures so far. */
  readonly fingerprints?: readonly string[];
  readonly isApproved?: boolean;
  /** Whether the step is part of a chain of fixes: it then reports a failure instead of opening a chain of its own. */
  readonly isInChain?: boolean;
  /** The earlier sessions of the merge: the original one and the fixes. */
  readonly sessions?: readonly SessionHeads[];
  /** Set after an escalation: the last of these works that changed anything is merged, with the repair of a person. */
  readonly reopened?: readonly (WorkValue | null)[];
  /** Set after an escalation without a fix: the failure, for the events. A fix has it in its own input. */
  readonly failure?: Pick<FailedMergeValue, "error" | "conflicts" | "ciLogs">;
}

/** A session whose branch is removed after the landing, if it has one of these commits: its work, or its start if it failed. */
export interface SessionHeads {
  /** The id of the task or of the fix. */
  readonly id: string;
  readonly heads: readonly (string | null)[];
}

/** The output of a merge. */
export type MergeValue =
  | { readonly kind: "landed"; readonly commit: string; readonly artefact: TaskArtefact }
  | FailedMergeValue;

export interface FailedMergeValue {
  readonly kind: "failed";
  readonly next: "fix" | "escalate";
  readonly reason: string;
  /** The branch of the work that was merged. */
  readonly branch?: string;
  /** The folder that a person can repair, if `next` is `escalate` and it is kept. */
  readonly workspace?: string;
  readonly error: MergeError;
  readonly conflicts?: ConflictInfo;
  readonly ciLogs?: string;
  readonly fingerprints: readonly string[];
  readonly fix?: FixInput;
}
