// The settings of an execution: the template comes first, then the configuration.

import type { ExecutorConfig } from "../config/executor-config.ts";
import type { CodeSettings } from "../steps/step-values.ts";
import type { CompileOptions } from "../template/compile-template.ts";
import type { CodeTemplate } from "../template/template.ts";
import { durationMs } from "@segno/kernel";

export function codeSettings(
  template: CodeTemplate,
  config: ExecutorConfig,
  repository?: string,
  mode: CompileOptions["mode"] = "hybrid",
): CodeSettings {
  const { policies, agent, agents, workspaces, setup, budgetUsd } = template;
  const { integration, scheduling, session, retry } = config;
  return {
    ...(repository === undefined ? {} : { repository }),
    agents,
    workspaces,
    ...(agent === undefined ? {} : { agent }),
    setup,
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    stepPolicy: policies.step ?? integration.stepMergePolicy,
    workflowPolicy: policies.workflow ?? integration.workflowMergePolicy,
    checks: policies.checks ?? [],
    ...(template.forge === undefined ? {} : { forge: template.forge }),
    autoCreateFixTasks: integration.autoCreateFixTasks,
    maxFixAttempts: integration.maxFixAttempts,
    maxConcurrentSessions: session.maxConcurrentSessions,
    preserveOnFailure: session.preserveOnFailure,
    cleanupOnSuccess: session.cleanupOnSuccess,
    ...(repository === undefined ? {} : { events: config.events }),
    ...(repository === undefined || scheduling.module === undefined ? {} : { schedulingModule: scheduling.module }),
    taskTimeoutMs: scheduling.taskTimeoutMs,
    exclusivePlaces: mode === "hybrid" ? scheduling.maxParallelTasks : 1,
    retry,
  };
}

export function compileOptions(
  { scheduling, session, retry }: ExecutorConfig,
  mode: CompileOptions["mode"] = "hybrid",
): CompileOptions {
  return {
    mode,
    parallelTasksMax: scheduling.maxParallelTasks,
    retry: {
      attempts: retry.maxAttempts,
      base: durationMs(retry.baseDelay),
      factor: retry.backoffMultiplier,
      max: durationMs(retry.maxDelay),
      on: ["transient"],
    },
    hasPriorities: scheduling.strategy === "priority" || scheduling.strategy === "custom",
    sessionsMax: session.maxConcurrentSessions,
  };
}

/** The slots that steps which need no session take, such as merges and the search for new tasks. */
const OTHER_SLOTS = 2;

/** How many steps an engine has to run at once, so that no limit of the configuration is out of reach. */
export function slotsFor({ scheduling, session }: ExecutorConfig): number {
  return Math.min(scheduling.maxParallelTasks, session.maxConcurrentSessions) + OTHER_SLOTS;
}
