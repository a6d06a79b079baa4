// The port to consumers of events, and the events of code workflows (EVENT).

import type { ConflictInfo } from "../model/merge-result.ts";
import type { ErrorType } from "../model/error-type.ts";
import type { EventType } from "../model/event-type.ts";

/** An event of a code workflow. */
export interface CodeEvent {
  readonly type: EventType;
  readonly workflowId: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** Identifies the event: the same event has the same id live, in history and after a crash. */
  readonly id: string;
  readonly taskId?: string;
  readonly sessionId?: string;
  readonly originalTaskId?: string;
  readonly fixTaskId?: string;
  readonly error?: string;
  /** The type of the error, if it is known. */
  readonly errorType?: ErrorType;
  readonly conflicts?: ConflictInfo;
  readonly ciLogs?: string;
  /** `task.scheduled`. */
  readonly taskType?: string;
  readonly dependencies?: readonly string[];
  /** `session.created`; undefined if the workspace port does not tell its folder. */
  readonly workspacePath?: string;
  /** `session.created` and `merge.failed`: the branch of the task, or of the fix whose work was merged. */
  readonly taskBranch?: string;
  /** `merge.failed`. */
  readonly workflowBranch?: string;
}

/** The events that a subscriber gets. Without a field, all of them. */
export interface EventFilter {
  /** Only events of these types. */
  readonly types?: readonly EventType[];
  /** Only events of this workflow. */
  readonly workflowId?: string;
  /** Only events of this task. */
  readonly taskId?: string;
}

/** A function, or an object as 003 shows it. An error that it throws is reported and changes nothing. */
export type EventHandler =
  | ((event: CodeEvent) => void | Promise<void>)
  | { handle(event: CodeEvent): void | Promise<void> };

/** Publishes the events of code workflows. */
export interface EventPort {
  /** Publishes an event. Resolves when the port has taken it. */
  publish(event: CodeEvent): Promise<void>;
  /** Publishes several events in order. */
  publishBatch(events: readonly CodeEvent[]): Promise<void>;
  /** Returns the id of the subscription. */
  subscribe(filter: EventFilter, handler: EventHandler): string;
  /** Ends a subscription. */
  unsubscribe(subscriptionId: string): void;
}
