// The metrics of code workflows as plain values: a fold over their events (EVENT-4).
//
//   EM1. Names are those of the sources. Durations are in seconds.
//   EM2. An event that is applied twice counts twice: the caller applies each event once, by its id.

import { HistogramFold, type Histogram } from "@segno/engine";
import { EventType } from "../model/event-type.ts";
import type { CodeEvent } from "./event-port.ts";

/** Counts and durations of workflows, tasks, sessions, merges and errors. */
export interface ExecutorMetrics {
  readonly workflows_started: number;
  readonly workflows_completed: number;
  readonly workflows_failed: number;
  readonly workflow_duration: Histogram;

  readonly tasks_scheduled: number;
  readonly tasks_completed: number;
  readonly tasks_failed: number;
  readonly task_duration: Histogram;
  readonly task_retry_count: number;

  readonly sessions_created: number;
  /** The sessions that are at work now. */
  readonly sessions_active: number;
  readonly session_duration: Histogram;

  readonly merges_attempted: number;
  readonly merges_succeeded: number;
  readonly merges_failed: number;
  readonly merge_duration: Histogram;

  /** By the type of the error; `unknown` for errors without one. */
  readonly errors_by_type: Readonly<Record<string, number>>;
  readonly fix_tasks_created: number;
  readonly errors_escalated: number;
}

/** The times at which workflows, tasks, sessions or merges began that have not ended, and the durations of those that have. */
class OpenTimes {
  readonly durations = new HistogramFold();
  readonly #startedAt = new Map<string, number>();

  get size(): number {
    return this.#startedAt.size;
  }

  has(key: string): boolean {
    return this.#startedAt.has(key);
  }

  start(key: string, at: number): void {
    this.#startedAt.set(key, at);
  }

  end(key: string, at: number): void {
    const startedAt = this.#startedAt.get(key);
    if (startedAt === undefined) return;
    this.#startedAt.delete(key);
    this.durations.add(Math.max(0, at - startedAt) / 1000);
  }
}

/** Counts events to metrics. */
export class MetricsFold {
  readonly #counts = new Map<EventType, number>();
  readonly #errors = new Map<string, number>();
  readonly #workflows = new OpenTimes();
  readonly #tasks = new OpenTimes();
  readonly #sessions = new OpenTimes();
  readonly #merges = new OpenTimes();
  #retries = 0;

  /** Counts an event. */
  apply(event: CodeEvent): void {
    const { type, workflowId, timestamp: at, taskId = "", sessionId = "" } = event;
    this.#counts.set(type, this.#count(type) + 1);
    const task = `${workflowId} ${taskId}`;
    switch (type) {
      case EventType.WorkflowStarted:
        return this.#workflows.start(workflowId, at);
      case EventType.WorkflowResumed:
        // A workflow that is retried after its end begins again; one that was paused goes on.
        return this.#workflows.has(workflowId) ? undefined : this.#workflows.start(workflowId, at);
      case EventType.WorkflowCompleted:
      case EventType.WorkflowFailed:
        return this.#workflows.end(workflowId, at);
      case EventType.TaskStarted:
        return this.#tasks.start(task, at);
      case EventType.TaskCompleted:
      case EventType.TaskFailed:
        return this.#tasks.end(task, at);
      case EventType.SessionCreated:
        return this.#sessions.start(sessionId, at);
      case EventType.SessionCompleted:
      case EventType.SessionTerminated:
        return this.#sessions.end(sessionId, at);
      case EventType.MergeStarted:
        return this.#merges.start(task, at);
      case EventType.MergeCompleted:
      case EventType.MergeFailed:
        return this.#merges.end(task, at);
      case EventType.ErrorDetected:
        return this.#addError(event.errorType ?? "unknown");
      case EventType.RetryAttempt:
        if (event.taskId !== undefined) this.#retries++;
        return;
      default:
        return;
    }
  }

  /** The metrics so far. */
  snapshot(): ExecutorMetrics {
    return {
      workflows_started: this.#count(EventType.WorkflowStarted),
      workflows_completed: this.#count(EventType.WorkflowCompleted),
      workflows_failed: this.#count(EventType.WorkflowFailed),
      workflow_duration: this.#workflows.durations.snapshot(),
      tasks_scheduled: this.#count(EventType.TaskScheduled),
      tasks_completed: this.#count(EventType.TaskCompleted),
      tasks_failed: this.#count(EventType.TaskFailed),
      task_duration: this.#tasks.durations.snapshot(),
      task_retry_count: this.#retries,
      sessions_created: this.#count(EventType.SessionCreated),
      sessions_active: this.#sessions.size,
      session_duration: this.#sessions.durations.snapshot(),
      merges_attempted: this.#count(EventType.MergeStarted),
      merges_succeeded: this.#count(EventType.MergeCompleted),
      merges_failed: this.#count(EventType.MergeFailed),
      merge_duration: this.#merges.durations.snapshot(),
      errors_by_type: Object.fromEntries(this.#errors),
      fix_tasks_created: this.#count(EventType.FixTaskCreated),
      errors_escalated: this.#count(EventType.ErrorEscalated),
    };
  }

  #count(type: EventType): number {
    return this.#counts.get(type) ?? 0;
  }

  #addError(type: string): void {
    this.#errors.set(type, (this.#errors.get(type) ?? 0) + 1);
  }
}
