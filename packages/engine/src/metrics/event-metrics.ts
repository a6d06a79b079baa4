// Counts of executions and steps, from the durable events of this process. A counted event is not seen again: an execution that is
// loaded is read from its journal, and only new events come here.
//
//   EV1. Every step has several events, so counting one allocates nothing.

import { startOf, type Event, type State, type StepEnd, type StepRange } from "@segno/kernel";
import { BoundedLabels } from "./bounded-labels.ts";
import { engineMetrics } from "./engine-metrics.ts";
import { HistogramFold, type Histogram } from "./histogram.ts";
import type { HistogramPoint, Metric, MetricPoint } from "./metric.ts";

class WorkflowCounts {
  started = 0;
  completed = 0;
  failed = 0;
  cancelled = 0;
  readonly durations = new HistogramFold();
  stepsScheduled = 0;
  stepsCompleted = 0;
  stepsFailed = 0;
  stepsSkipped = 0;
  stepsCancelled = 0;
  retries = 0;
  readonly stepDurations = new HistogramFold();
}

export class EventMetrics {
  readonly #workflows = new BoundedLabels(() => new WorkflowCounts());

  onEvents(state: State, events: readonly Event[]): void {
    const counts = this.#workflows.of(state.program.definition.name);
    for (let index = 0; index < events.length; index++) count(counts, state, events[index]!);
  }

  collect(): readonly Metric[] {
    const scalars = (value: (counts: WorkflowCounts) => number): readonly MetricPoint[] =>
      this.#workflows.map((workflow, counts) => ({ labels: { workflow }, value: value(counts) }));
    const histograms = (value: (counts: WorkflowCounts) => Histogram): readonly HistogramPoint[] =>
      this.#workflows.map((workflow, counts) => ({ labels: { workflow }, value: value(counts) }));
    return [
      engineMetrics.scalars(
        "workflows_started",
        scalars(({ started }) => started),
      ),
      engineMetrics.scalars(
        "workflows_completed",
        scalars(({ completed }) => completed),
      ),
      engineMetrics.scalars(
        "workflows_failed",
        scalars(({ failed }) => failed),
      ),
      engineMetrics.scalars(
        "workflows_cancelled",
        scalars(({ cancelled }) => cancelled),
      ),
      engineMetrics.histograms(
        "workflow_duration",
        histograms(({ durations }) => durations.snapshot()),
      ),
      engineMetrics.scalars(
        "tasks_scheduled",
        scalars(({ stepsScheduled }) => stepsScheduled),
      ),
      engineMetrics.scalars(
        "tasks_completed",
        scalars(({ stepsCompleted }) => stepsCompleted),
      ),
      engineMetrics.scalars(
        "tasks_failed",
        scalars(({ stepsFailed }) => stepsFailed),
      ),
      engineMetrics.scalars(
        "tasks_skipped",
        scalars(({ stepsSkipped }) => stepsSkipped),
      ),
      engineMetrics.scalars(
        "tasks_cancelled",
        scalars(({ stepsCancelled }) => stepsCancelled),
      ),
      engineMetrics.histograms(
        "task_duration",
        histograms(({ stepDurations }) => stepDurations.snapshot()),
      ),
      engineMetrics.scalars(
        "task_retry_count",
        scalars(({ retries }) => retries),
      ),
    ];
  }
}

function count(counts: WorkflowCounts, state: State, event: Event): void {
  switch (event.kind) {
    case "step.started":
      // An attempt that was lost, or that does not count, is not the start of its step, although the next one has its number.
      if (event.attempt === 1 && startOf(state, event) === event.at) counts.stepsScheduled++;
      return;
    case "step.completed":
      counts.stepsCompleted++;
      return addDuration(counts, state, event);
    case "step.failed":
      counts.stepsFailed++;
      return addDuration(counts, state, event);
    case "step.cancelled":
      counts.stepsCancelled++;
      return addDuration(counts, state, event);
    case "step.skipped":
      counts.stepsSkipped++;
      return;
    case "step.retried":
      counts.retries++;
      return;
    case "step.suspended":
      counts.stepsScheduled++;
      return;
    case "step.expanded":
      // Steps that a function creates belong to a step that has started.
      if (event.children.kind !== "steps") counts.stepsScheduled++;
      return;
    case "steps.skipped":
      counts.stepsSkipped += sizeOf(event.steps);
      return;
    case "steps.cancelled":
      counts.stepsCancelled += sizeOf(event.steps);
      return;
    default:
      return countExecution(counts, state, event);
  }
}

function countExecution(counts: WorkflowCounts, state: State, event: Event): void {
  switch (event.kind) {
    case "execution.started":
      counts.started++;
      return;
    case "execution.completed":
      counts.completed++;
      break;
    case "execution.failed":
      counts.failed++;
      break;
    case "execution.cancelled":
      counts.cancelled++;
      break;
    default:
      return;
  }
  if (state.startedAt !== undefined) counts.durations.add(Math.max(0, event.at - state.startedAt) / 1000);
}

function addDuration(counts: WorkflowCounts, state: State, event: StepEnd): void {
  const startedAt = startOf(state, event);
  if (!Number.isNaN(startedAt)) counts.stepDurations.add(Math.max(0, event.at - startedAt) / 1000);
}

function sizeOf(ranges: readonly StepRange[]): number {
  return ranges.reduce((total, [first, last]) => total + last - first + 1, 0);
}
