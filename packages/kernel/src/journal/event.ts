// Events: the rows of the journal of an execution, in the past tense.
//
//   E1. An event holds everything that `fold` needs; nothing is evaluated when it is folded (JOURNAL-2).
//   E2. `seq` has no gaps and `at` never goes back (JOURNAL-4).
//   E3. Terminal states are always written, with their reason (STATE-10); `ready` and `queued` are derived and never written.
//   E4. A transition of many steps is one event (CANCEL-4).
//   E5. Steps are named by their index, which the definition's hash fixes; people see ids, which are derived from it.

import type { StepDefinition } from "../model/definition.ts";
import type { Artifact } from "../model/artifact.ts";
import type { Failure } from "../model/failure.ts";
import type { SecretPath } from "../model/secret-path.ts";
import type { ContentHash, DurationMs, EpochMs, ExecutionId, StepIndex } from "../model/units.ts";
import type { Value } from "../model/value.ts";

/** The version that this code writes. Upcasters convert older rows when they are read. */
export const EVENT_VERSION = 1;

interface Row<Kind extends string> {
  readonly v: number;
  readonly seq: number;
  readonly at: EpochMs;
  readonly kind: Kind;
}

interface StepRow<Kind extends string> extends Row<Kind> {
  readonly step: StepIndex;
}

/** A row of the journal: a decision of the kernel about an execution, a step, many steps or a message. */
export type Event = ExecutionEvent | StepEvent | MassEvent | MessageEvent;
/** The kinds of events, such as `step.completed`. */
export type EventKind = Event["kind"];

/**
 * Why an execution is parked, as a code for programs; the reason beside it is text for people. `no-agent`: no agent
 * is registered for the step. `no-module`: the process does not find the file or the package of the agent's module. `no-secret`: the
 * process has no usable value of a secret that the step needs. `address-refused`: the process may not reach the private address that the step requests. `attempts-lost`: the step was lost too often.
 * `journal-limit`: the journal has as many events as `limits.journal` allows.
 */
export type ParkCause = "no-agent" | "no-module" | "no-secret" | "address-refused" | "attempts-lost" | "journal-limit";

/** An event about an execution as a whole. */
export type ExecutionEvent =
  | ExecutionCreated
  | Row<"execution.validating">
  | (Row<"execution.started"> & { readonly deadline?: EpochMs })
  | (Row<"execution.paused"> & { readonly by?: string })
  | (Row<"execution.parked"> & { readonly cause: ParkCause; readonly reason: string; readonly step?: StepIndex })
  | (Row<"execution.resumed"> & { readonly by?: string })
  | (Row<"execution.failing"> & { readonly failure: Failure; readonly step?: StepIndex })
  | ExecutionCancelling
  /** `by` is set if a person asked to try the undoing again. */
  | (Row<"execution.compensating"> & { readonly steps: readonly StepIndex[]; readonly by?: string })
  | (Row<"execution.completed"> & { readonly output: Value })
  | (Row<"execution.failed"> & {
      readonly failure: Failure;
      readonly step?: StepIndex;
      readonly notUndone?: readonly StepIndex[];
    })
  | (Row<"execution.cancelled"> & { readonly reason: string; readonly notUndone?: readonly StepIndex[] })
  | ExecutionReopened;

/** A new round of an execution that has ended (STATE-2). */
export interface ExecutionReopened extends Row<"execution.reopened"> {
  readonly round: number;
  readonly deadline?: EpochMs;
  readonly by?: string;
  /** Set if the round is for the failures that a completed execution tolerated. */
  readonly only?: "tolerated";
}

/** The first event of every execution. */
export interface ExecutionCreated extends Row<"execution.created"> {
  readonly execution: ExecutionId;
  readonly definition: ContentHash;
  readonly workflow: string;
  readonly input: Value;
  /** The only source of randomness of an execution: jitter is derived from it (FAIL-3). */
  readonly seed: number;
  readonly correlationId: string;
  /** The workflows that the execution may call, as registered at its start; absent if there are none (CONTRACT-8). */
  readonly workflows?: readonly CalledWorkflow[];
  /** Absent if it is 0. */
  readonly priority?: number;
  /** The idempotency key of the start (IDEM-1). */
  readonly key?: string;
  /** Names and values by which people find the execution; absent if there are none. */
  readonly labels?: ExecutionLabels;
  /** The W3C trace context of the start, if it has one. */
  readonly traceparent?: string;
}

/** Names and values that the start of an execution sets, such as `team` and `payments`. */
export type ExecutionLabels = Readonly<Record<string, string>>;

/** The name in a `workflow` step, and the definition that it referred to. */
export interface CalledWorkflow {
  readonly workflow: string;
  readonly definition: ContentHash;
}

/** The cancellation of an execution has begun. */
export interface ExecutionCancelling extends Row<"execution.cancelling"> {
  readonly mode: CancelMode;
  readonly reason: string;
  readonly grace: DurationMs;
  readonly compensate: boolean;
}

/** Whether a cancellation stops running attempts (CANCEL-2) or lets them finish (CANCEL-3). */
export type CancelMode = "abort" | "drain";

/** An event about one step. */
export type StepEvent =
  | StepStarted
  | StepCompleted
  | StepRecorded
  | (StepRow<"step.retried"> & { readonly failure: Failure; readonly dueAt: EpochMs })
  | (StepRow<"step.failed"> & { readonly failure: Failure })
  | (StepRow<"step.skipped"> & { readonly reason: SkipReason })
  | (StepRow<"step.suspended"> & { readonly wait: Wait })
  | (StepRow<"step.expanded"> & { readonly children: ExpansionRecord; readonly deadline?: EpochMs })
  /** STATE-13: the next iteration begins. The first one begins with `step.expanded`. */
  | (StepRow<"step.repeated"> & { readonly iteration: number })
  /** Without a child if the scope timed out. */
  | (StepRow<"step.failing"> & { readonly failure: Failure; readonly child?: StepIndex })
  /**
   * FAIL-4: the attempt timed out and was told to stop. This is the failure of the attempt, whatever it returns within the
   * grace period.
   */
  | (StepRow<"step.overdue"> & { readonly failure: Failure; readonly forceAt: EpochMs })
  /** `graceful`: the engine gave it up in an orderly shutdown, which does not count as a crash (FAIL-9). */
  | (StepRow<"step.lost"> & { readonly reason: string; readonly graceful?: true })
  /** With the reason of the cancellation. */
  | (StepRow<"step.cancelled"> & {
      readonly ended: "itself" | "by-force";
      readonly reason: string;
      readonly failure?: Failure;
    });

/** An attempt of a step has started. */
export interface StepStarted extends StepRow<"step.started"> {
  readonly attempt: number;
  /** Increases with every dispatch of this step; a result under an older epoch is refused (LEASE-2). */
  readonly epoch: number;
  /** The input of the runner. Written with the first attempt of a round; later attempts get the same. */
  readonly call?: Value;
  /** The positions of secrets in `call`; the values are inserted at dispatch and never written (DATA-1). */
  readonly secrets?: readonly SecretPath[];
  readonly deadline?: EpochMs | undefined;
  /** The worker that runs it (FAIL-5); absent if it is the worker of the attempt before it in this journal. */
  readonly worker?: string | undefined;
}

/** A step has succeeded. */
export interface StepCompleted extends StepRow<"step.completed"> {
  readonly output: Value;
  readonly signal?: string;
  /** STATE-13: the `until` function of the repetition returned true after this attempt. */
  readonly isLast?: true;
  /** The files that were kept; absent if there are none. */
  readonly artifacts?: readonly Artifact[];
}

/** STATE-14: a call inside an attempt has returned this value. The step gets it back if it runs again. */
export interface StepRecorded extends StepRow<"step.recorded"> {
  readonly epoch: number;
  /** The name as people see it. A repeated name has its number behind it, such as `plan#2`. */
  readonly name: string;
  /** Identifies the call in its step if its name was masked; absent if the name itself does (DATA-9). */
  readonly key?: string;
  /** When the call began. */
  readonly startedAt: EpochMs;
  readonly value: Value;
}

/** Many steps at once, written as ranges: 100,000 steps that never started are one row (CANCEL-4). */
export type MassEvent =
  | (Row<"steps.skipped"> & { readonly steps: readonly StepRange[]; readonly reason: SkipReason })
  | (Row<"steps.cancelled"> & { readonly steps: readonly StepRange[]; readonly reason: string })
  | (Row<"steps.cancelling"> & {
      readonly steps: readonly StepRange[];
      readonly reason: string;
      readonly forceAt: EpochMs;
    });

/** From and to, both included. */
export type StepRange = readonly [StepIndex, StepIndex];

/** An event about a signal or a vote. */
export type MessageEvent =
  | (Row<"signal.received"> & { readonly id: string; readonly name: string; readonly payload: Value })
  | (Row<"signal.refused"> & { readonly id: string; readonly step: StepIndex; readonly failure: Failure })
  | (StepRow<"approval.voted"> & Vote)
  /** The answer of a vote does not fit the schema of the approval; the step still waits. */
  | (StepRow<"approval.refused"> & { readonly id: string; readonly by: string; readonly failure: Failure });

/** A vote of a person on an approval. */
export interface Vote {
  readonly id: string;
  readonly by: string;
  readonly verdict: "approve" | "reject" | "changes";
  readonly comment?: string;
  /** Only in a vote that approves, and only if the approval has a schema for answers. */
  readonly answer?: Value;
}

/** STATE-10: why a step did not run. Only the first three satisfy the dependants (STATE-5). */
export type SkipReason =
  | { readonly kind: "condition" }
  | { readonly kind: "skipped-by-handler"; readonly message: string }
  | { readonly kind: "disabled" }
  | { readonly kind: "dependency-failed"; readonly dependency: StepIndex }
  | { readonly kind: "fallback-unused"; readonly primary: StepIndex }
  | { readonly kind: "failing"; readonly message: string };

/** The thing that a suspended step waits for. */
export type Wait =
  | { readonly kind: "signal"; readonly signal: string; readonly expiresAt?: EpochMs }
  | { readonly kind: "timer"; readonly dueAt: EpochMs }
  | ApprovalWait;

/** An approval that a step waits for. */
export interface ApprovalWait {
  readonly kind: "approval";
  readonly by?: readonly string[];
  readonly quorum: number;
  readonly message?: string;
  /** Each vote to approve must have an answer that fits the schema of the approval. */
  readonly needsAnswer?: true;
  readonly expiresAt?: EpochMs;
}

/** STATE-9: the children of a step that opened. */
export type ExpansionRecord =
  | { readonly kind: "items"; readonly count: number; readonly items: Value }
  /** The first iteration of a repetition. */
  | { readonly kind: "iteration" }
  | { readonly kind: "workflow"; readonly definition: ContentHash; readonly input: Value }
  | { readonly kind: "steps"; readonly steps: readonly StepDefinition[]; readonly result?: string };

/** An event before it has its sequence number. */
export type EventBody = Event extends infer Each
  ? Each extends Event
    ? Omit<Each, "v" | "seq" | "at">
    : never
  : never;
