// The catalogue of the metrics of an engine. `docs/reference/metrics.md` is generated from it.
//
// A metric that the sources name has that name: they call an execution a workflow and a step a task. All others begin with
// `segno_` and follow the conventions of Prometheus.

import { MetricMaker, type MetricCatalogue } from "./metric.ts";

/** The counters and gauges. */
export type EngineScalar =
  | "workflows_started"
  | "workflows_completed"
  | "workflows_failed"
  | "workflows_cancelled"
  | "tasks_scheduled"
  | "tasks_completed"
  | "tasks_failed"
  | "tasks_skipped"
  | "tasks_cancelled"
  | "task_retry_count"
  | "segno_attempts_total"
  | "segno_steps_waiting"
  | "segno_slots_used"
  | "segno_slots_max"
  | "segno_resource_used"
  | "segno_executions_live"
  | "segno_store_faults_total"
  | "segno_events_dropped_total"
  | "segno_sink_lines_total"
  | "segno_sink_dropped_total"
  | "segno_sink_failures_total"
  | "segno_sink_queued"
  | "segno_event_loop_delay_seconds";

/** The histograms. */
export type EngineHistogram =
  | "workflow_duration"
  | "task_duration"
  | "segno_attempt_duration_seconds"
  | "segno_commit_duration_seconds"
  | "segno_commit_batch_size";

const WORKFLOW = ["workflow"] as const;
const SINK = ["sink"] as const;
const NONE = [] as const;

export const ENGINE_METRICS: MetricCatalogue<EngineScalar | EngineHistogram> = {
  workflows_started: {
    kind: "counter",
    help: "Executions that started. A retry of an ended execution does not count again",
    labels: WORKFLOW,
  },
  workflows_completed: { kind: "counter", help: "Executions that completed", labels: WORKFLOW },
  workflows_failed: { kind: "counter", help: "Executions that failed", labels: WORKFLOW },
  workflows_cancelled: { kind: "counter", help: "Executions that were cancelled", labels: WORKFLOW },
  workflow_duration: {
    kind: "histogram",
    help: "Time from the start of an execution to its end",
    labels: WORKFLOW,
    unit: "seconds",
  },
  tasks_scheduled: {
    kind: "counter",
    help: "Steps that began: their first attempt started, they began to wait, or they opened into other steps",
    labels: WORKFLOW,
  },
  tasks_completed: { kind: "counter", help: "Steps that completed", labels: WORKFLOW },
  tasks_failed: { kind: "counter", help: "Steps that failed for good", labels: WORKFLOW },
  tasks_skipped: { kind: "counter", help: "Steps that were skipped", labels: WORKFLOW },
  tasks_cancelled: { kind: "counter", help: "Steps that were cancelled", labels: WORKFLOW },
  task_duration: {
    kind: "histogram",
    help: "Time from the start of a step to its end, with all its attempts and the delays between them",
    labels: WORKFLOW,
    unit: "seconds",
  },
  task_retry_count: { kind: "counter", help: "Failed attempts after which the step is tried again", labels: WORKFLOW },
  segno_attempts_total: {
    kind: "counter",
    help: "Attempts that ended in this process, by outcome; `lost` was stopped by force",
    labels: ["outcome"],
  },
  segno_attempt_duration_seconds: {
    kind: "histogram",
    help: "Time from the recorded start of an attempt to its end, without lost attempts",
    labels: NONE,
    unit: "seconds",
  },
  segno_commit_duration_seconds: {
    kind: "histogram",
    help: "Time that the store needs for a commit",
    labels: NONE,
    unit: "seconds",
  },
  segno_commit_batch_size: { kind: "histogram", help: "Turns that one commit makes durable", labels: NONE },
  segno_steps_waiting: { kind: "gauge", help: "Steps that are ready and wait for a slot or a resource", labels: NONE },
  segno_slots_used: { kind: "gauge", help: "Slots in use: attempts that run at once", labels: NONE },
  segno_slots_max: { kind: "gauge", help: "Slots of this engine", labels: NONE },
  segno_resource_used: {
    kind: "gauge",
    help: "The amount of a resource, of an agent's limit or of a step's limit that is in use",
    labels: ["role", "resource"],
  },
  segno_executions_live: { kind: "gauge", help: "Executions in the memory of this process", labels: NONE },
  segno_store_faults_total: { kind: "counter", help: "Faults of the store, by error code", labels: ["code"] },
  segno_events_dropped_total: {
    kind: "counter",
    help: "Events that subscribers did not get because they were too slow",
    labels: NONE,
  },
  segno_sink_lines_total: { kind: "counter", help: "Lines that a sink has delivered", labels: SINK },
  segno_sink_dropped_total: {
    kind: "counter",
    help: "Lines that a sink has lost, by level",
    labels: ["sink", "level"],
  },
  segno_sink_failures_total: { kind: "counter", help: "Requests and writes of a sink that failed", labels: SINK },
  segno_sink_queued: { kind: "gauge", help: "Lines that a sink has not delivered yet", labels: SINK },
  segno_event_loop_delay_seconds: {
    kind: "gauge",
    help: "Delay of the event loop since the reading before, as quantiles. Measured from the first reading on",
    labels: ["quantile"],
    unit: "seconds",
  },
};

export const engineMetrics: MetricMaker<EngineScalar, EngineHistogram> = new MetricMaker(ENGINE_METRICS);
