// Executions as the API answers them.

import type {
  EpochMs,
  ExecutionSnapshot,
  ExecutionStatus,
  IgnoreReason,
  Json,
  NotUndoneStep,
  ParkCause,
  StepRelation,
  StepSnapshot,
} from "@segno/kernel";

/** A step of an execution, with its status and its relations to other steps. */
export interface ApiStep extends StepSnapshot, StepRelation {
  /** The index of the step in the events of the journal. */
  readonly place: number;
  /** The label of the map item that the step belongs to. It is raw text; a caller that shows it must escape it. */
  readonly label?: string;
}

/** The latest progress of an attempt that runs. */
export interface ApiProgress {
  readonly step: string;
  readonly attempt: number;
  readonly epoch: number;
  readonly at: EpochMs;
  /** From 0 to 1. */
  readonly fraction: number;
  readonly done?: number;
  readonly total?: number;
  /** It is raw text; a caller that shows it must escape it. */
  readonly message?: string;
}

/** An execution: its status, its input and output, and its steps. */
export interface ApiExecution extends Omit<ExecutionSnapshot, "result" | "status" | "steps"> {
  readonly id: string;
  readonly workflow: string;
  readonly status: ExecutionStatus;
  readonly steps: readonly ApiStep[];
  readonly correlationId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly createdAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly input?: Json;
  /** The output of a completed execution, unless it was removed from the store. */
  readonly output?: Json;
  /** The reason if the execution is parked, is being cancelled or was cancelled. */
  readonly reason?: string;
  readonly cause?: ParkCause;
  readonly failedStep?: string;
  /** Steps that should have been undone and were not, newest first. */
  readonly notUndone?: readonly NotUndoneStep[];
  readonly toleratedFailures?: number;
  readonly payloadsRemovedAt?: EpochMs;
  readonly heartbeats: Readonly<Record<string, EpochMs>>;
  readonly progress: Readonly<Record<string, ApiProgress>>;
}

/** An execution in a list. */
export interface ApiListedExecution {
  readonly id: string;
  readonly workflow: string;
  /** The number of the last event. */
  readonly seq: number;
  readonly status: ExecutionStatus;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly priority: number;
  readonly correlationId: string;
  readonly steps: { readonly total: number; readonly ended: number };
  readonly toleratedFailures: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The beginning of the message of a failed execution. */
  readonly failure?: string;
  readonly idempotencyKey?: string;
  /** The reason for a quarantine, if the execution is quarantined. */
  readonly quarantined?: string;
}

/** A page of executions, oldest first. */
export interface ApiExecutionPage {
  readonly executions: readonly ApiListedExecution[];
  /** The cursor of the next page; absent on the last one. */
  readonly cursor?: string;
}

/** The executions to list. Without a field, all of them. */
export interface ApiListFilter {
  /** Only executions with one of these statuses. */
  readonly status?: readonly ExecutionStatus[];
  /** Only executions of this workflow. */
  readonly workflow?: string;
  /** Only executions with this correlation id. */
  readonly correlationId?: string;
  /** Only executions that were created at this time or later, in milliseconds since 1970. */
  readonly since?: number;
  /** Only executions that were created before this time. */
  readonly until?: number;
  /** Only executions that were started with all of these labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only executions with this text in their id, workflow or failure. */
  readonly text?: string;
  /** The number of executions in a page, at most 1000. */
  readonly limit?: number;
}

/**
 * The result of a command. `accepted`: the execution has taken it. `ignored`: it had no effect, for the given reason. `posted`:
 * another process owns the execution and will take it.
 */
export type ApiCommandResult =
  | { readonly kind: "accepted" }
  | { readonly kind: "posted" }
  | { readonly kind: "ignored"; readonly reason: IgnoreReason; readonly status: ExecutionStatus | "none" };

/** An execution that was started, or that an earlier call with the same key had started. */
export interface ApiStart {
  readonly execution: ApiExecution;
  /** The execution ended while the call waited. */
  readonly isEnded: boolean;
  /** An earlier call with the same idempotency key started it. */
  readonly isReplayed: boolean;
}
