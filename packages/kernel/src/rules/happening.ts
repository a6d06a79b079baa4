// Happenings: inputs from outside that the kernel decides on. Each carries its time; the kernel has no clock.

import type { StepDefinition } from "../model/definition.ts";
import type { Artifact } from "../model/artifact.ts";
import type { Failure } from "../model/failure.ts";
import type { ContentHash, DurationMs, EpochMs, ExecutionId, StepIndex } from "../model/units.ts";
import type { Value } from "../model/value.ts";
import type { CalledWorkflow, CancelMode, ExecutionLabels, ParkCause, Vote } from "../journal/event.ts";

interface HappeningAt<Kind extends string> {
  readonly kind: Kind;
  readonly at: EpochMs;
}

/** A fact from outside that the kernel decides about: a grant, the end of an attempt, a timer, a command. */
export type Happening =
  | CreateHappening
  | HappeningAt<"begin">
  /** Decides what follows from the last decision; also wakes an execution that was recovered. */
  | HappeningAt<"proceed">
  /** Slot and resources were found for a step (STATE-4). Grants are happenings, so that a journal can be reproduced. */
  | (HappeningAt<"granted"> & {
      readonly step: StepIndex;
      readonly worker?: string;
      /** The timeout of the attempt if the step itself has none (FAIL-4). */
      readonly timeout?: DurationMs | undefined;
    })
  /** The definition that a `workflow` step needs is in the library. */
  | (HappeningAt<"resolved"> & { readonly step: StepIndex; readonly definition: ContentHash })
  | (HappeningAt<"unresolved"> & { readonly step: StepIndex; readonly failure: Failure })
  | (HappeningAt<"ended"> & { readonly step: StepIndex; readonly epoch: number; readonly outcome: Outcome })
  /** A call inside an attempt returned a value, which is to be recorded (STATE-14). */
  | (HappeningAt<"recorded"> & {
      readonly step: StepIndex;
      readonly epoch: number;
      readonly name: string;
      /** Given if the name was masked, so that it no longer identifies the call. */
      readonly key?: string | undefined;
      readonly startedAt: EpochMs;
      readonly value: Value;
    })
  /** The process of the attempt died, or its lease expired (FAIL-9). */
  | (HappeningAt<"lost"> & {
      readonly step: StepIndex;
      readonly epoch: number;
      readonly reason: string;
      /** The engine gave up the attempt in an orderly shutdown, which is not a crash (FAIL-9). */
      readonly graceful?: true;
    })
  | (HappeningAt<"due"> & { readonly timer: Timer })
  | (HappeningAt<"signalled"> & { readonly id: string; readonly name: string; readonly payload: Value })
  /** The name of the step: the voter knows the name, and a scope may open before the vote is decided. */
  | (HappeningAt<"voted"> & { readonly step: string } & Vote)
  | (HappeningAt<"cancel"> & {
      readonly mode: CancelMode;
      readonly reason: string;
      readonly grace?: DurationMs;
      readonly compensate?: boolean;
    })
  | (HappeningAt<"pause"> & { readonly by?: string })
  | (HappeningAt<"resume"> & { readonly by?: string })
  | (HappeningAt<"park"> & { readonly cause: ParkCause; readonly reason: string; readonly step?: StepIndex })
  /**
   * A new round (STATE-2), or with `undo` only another try at the steps that could not be undone (FAIL-8). With `tolerated`,
   * the new round is for the failures that a completed execution tolerated.
   */
  | (HappeningAt<"retry"> & { readonly by?: string; readonly undo?: boolean; readonly tolerated?: boolean });

/** An execution is to be created. */
export interface CreateHappening extends HappeningAt<"create"> {
  readonly execution: ExecutionId;
  readonly definition: ContentHash;
  readonly input: Value;
  readonly seed: number;
  readonly correlationId: string;
  readonly workflows?: readonly CalledWorkflow[] | undefined;
  readonly priority?: number | undefined;
  readonly key?: string | undefined;
  readonly labels?: ExecutionLabels | undefined;
  readonly traceparent?: string | undefined;
}

/** How an attempt ended. */
export type Outcome =
  /** `isLast`: the `until` function of the repetition returned true (STATE-13). */
  | {
      readonly kind: "succeeded";
      readonly output: Value;
      readonly isLast?: true;
      /** The files that were kept. */
      readonly artifacts?: readonly Artifact[];
    }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "skipped"; readonly message: string }
  | { readonly kind: "expanded"; readonly steps: readonly StepDefinition[]; readonly result?: string };

/** A timer that fires. It is ignored if the state no longer waits for it. */
export type Timer =
  | NonAttemptTimer
  | { readonly kind: "attempt-deadline"; readonly step: StepIndex; readonly epoch: number };

/** Every timer but the deadline of an attempt, which the engine keeps with the attempt. */
export type NonAttemptTimer =
  /** The timeout of the execution. */
  | { readonly kind: "execution-deadline" }
  /** The delay before the next attempt of a step. */
  | { readonly kind: "backoff"; readonly step: StepIndex; readonly epoch: number }
  /** The end of a `wait`, or the deadline of a signal or an approval. */
  | { readonly kind: "wait"; readonly step: StepIndex }
  /** The timeout of a step that has opened into children: a map, a sub-workflow or an expansion. */
  | { readonly kind: "scope-deadline"; readonly step: StepIndex }
  /** The grace period of an attempt that was told to stop. When it is over, the attempt is ended by force. */
  | { readonly kind: "grace-end"; readonly step: StepIndex; readonly epoch: number };
