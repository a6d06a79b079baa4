// The metrics of code workflows in the form of an engine's metrics (EVENT-4).
//
// The metrics of sessions, merges and errors have the names of the sources. Those of workflows and tasks begin with `code_`,
// because the engine has metrics of these names: they count every execution and every step, and a task of a code workflow
// has several steps.

import { MetricMaker, type Metric, type MetricCatalogue } from "@segno/engine";
import type { ExecutorMetrics } from "./executor-metrics.ts";

/** The counters and gauges. */
type CodeScalar =
  | "code_workflows_started"
  | "code_workflows_completed"
  | "code_workflows_failed"
  | "code_tasks_scheduled"
  | "code_tasks_completed"
  | "code_tasks_failed"
  | "code_task_retry_count"
  | "sessions_created"
  | "sessions_active"
  | "merges_attempted"
  | "merges_succeeded"
  | "merges_failed"
  | "errors_by_type"
  | "fix_tasks_created"
  | "errors_escalated";

/** The histograms. */
type CodeHistogram = "code_workflow_duration" | "code_task_duration" | "session_duration" | "merge_duration";

const counter = (help: string) => ({ kind: "counter", help, labels: [] }) as const;
const duration = (help: string) => ({ kind: "histogram", help, labels: [], unit: "seconds" }) as const;

/** The descriptions of the metrics of code workflows. */
export const CODE_METRICS: MetricCatalogue<CodeScalar | CodeHistogram> = {
  code_workflows_started: counter("Code workflows that started"),
  code_workflows_completed: counter("Code workflows that completed"),
  code_workflows_failed: counter("Code workflows that failed"),
  code_workflow_duration: duration("Time from the start of a code workflow to its end"),
  code_tasks_scheduled: counter("Tasks of code workflows that were scheduled"),
  code_tasks_completed: counter("Tasks of code workflows that completed"),
  code_tasks_failed: counter("Tasks of code workflows that failed"),
  code_task_duration: duration("Time from the start of a task to its end"),
  code_task_retry_count: counter("Tasks of code workflows that were tried again"),
  sessions_created: counter("Sessions of coding agents that were created"),
  sessions_active: { kind: "gauge", help: "Sessions of coding agents that are at work", labels: [] },
  session_duration: duration("Time from the creation of a session to its end"),
  merges_attempted: counter("Merges that began"),
  merges_succeeded: counter("Merges that succeeded"),
  merges_failed: counter("Merges that failed"),
  merge_duration: duration("Time from the begin of a merge to its end"),
  errors_by_type: { kind: "counter", help: "Errors of code workflows, by type", labels: ["type"] },
  fix_tasks_created: counter("Tasks that were created to fix an error"),
  errors_escalated: counter("Errors that a person has to resolve"),
};

const maker: MetricMaker<CodeScalar, CodeHistogram> = new MetricMaker(CODE_METRICS);

/** The metrics of an executor as a source of an engine's metrics: `engine.extensions.addMetrics(() => codeMetrics(executor.metrics()))`. */
export function codeMetrics(metrics: ExecutorMetrics): readonly Metric[] {
  return [
    maker.scalar("code_workflows_started", metrics.workflows_started),
    maker.scalar("code_workflows_completed", metrics.workflows_completed),
    maker.scalar("code_workflows_failed", metrics.workflows_failed),
    maker.histogram("code_workflow_duration", metrics.workflow_duration),
    maker.scalar("code_tasks_scheduled", metrics.tasks_scheduled),
    maker.scalar("code_tasks_completed", metrics.tasks_completed),
    maker.scalar("code_tasks_failed", metrics.tasks_failed),
    maker.histogram("code_task_duration", metrics.task_duration),
    maker.scalar("code_task_retry_count", metrics.task_retry_count),
    maker.scalar("sessions_created", metrics.sessions_created),
    maker.scalar("sessions_active", metrics.sessions_active),
    maker.histogram("session_duration", metrics.session_duration),
    maker.scalar("merges_attempted", metrics.merges_attempted),
    maker.scalar("merges_succeeded", metrics.merges_succeeded),
    maker.scalar("merges_failed", metrics.merges_failed),
    maker.histogram("merge_duration", metrics.merge_duration),
    maker.scalars(
      "errors_by_type",
      Object.entries(metrics.errors_by_type).map(([type, value]) => ({ labels: { type }, value })),
    ),
    maker.scalar("fix_tasks_created", metrics.fix_tasks_created),
    maker.scalar("errors_escalated", metrics.errors_escalated),
  ];
}
