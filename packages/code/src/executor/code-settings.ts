// The settings of an execution: the template comes first, then the configuration.

import type { ExecutorConfig } from "../config/executor-config.ts";
import { ErrorType } from "../model/error-type.ts";
import type { CodeSettings } from "../steps/step-values.ts";
import type { CompileOptions } from "../template/compile-template.ts";
import type { CodeTemplate } from "../template/template.ts";
import { durationMs } from "@segno/kernel";

export function codeSettings(template: CodeTemplate, config: ExecutorConfig, repository?: string): CodeSettings {
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
    taskTimeout: durationMs(scheduling.taskTimeoutMs),
    retry: {
      attempts: retry.maxAttempts,
      base: durationMs(retry.baseDelay),
      factor: retry.backoffMultiplier,
      max: durationMs(retry.maxDelay),
      on: retry.retryableErrors.includes(ErrorType.AgentTimeout) ? ["transient", "timeout"] : ["transient"],
    },
    hasPriorities: scheduling.strategy === "priority" || scheduling.strategy === "custom",
    sessionsMax: session.maxConcurrentSessions,
  };
}
