// The types of the events of code workflows.

/** The types of events of a code workflow. */
export const EventType = {
  WorkflowStarted: "workflow.started",
  WorkflowPaused: "workflow.paused",
  WorkflowResumed: "workflow.resumed",
  WorkflowCompleted: "workflow.completed",
  WorkflowFailed: "workflow.failed",

  TaskScheduled: "task.scheduled",
  TaskClaimed: "task.claimed",
  TaskStarted: "task.started",
  TaskCompleted: "task.completed",
  TaskFailed: "task.failed",

  SessionCreated: "session.created",
  SessionExecuting: "session.executing",
  SessionCompleted: "session.completed",
  SessionTerminated: "session.terminated",

  MergeStarted: "merge.started",
  MergeWaitingForChecks: "merge.waiting_for_checks",
  MergeWaitingForApproval: "merge.waiting_for_approval",
  MergeCompleted: "merge.completed",
  MergeFailed: "merge.failed",

  ErrorDetected: "error.detected",
  RetryAttempt: "error.retry",
  FixTaskCreated: "error.fix_task_created",
  ErrorEscalated: "error.escalated",
} as const;

export type EventType = (typeof EventType)[keyof typeof EventType];

export const EVENT_TYPES: readonly EventType[] = Object.values(EventType);
