// Happenings: whatever comes from outside and must be decided on. Each carries its time; the kernel has no clock.

import type { StepDefinition } from "../model/definition.ts";
import type { Failure } from "../model/failure.ts";
import type { ContentHash, DurationMs, EpochMs, ExecutionId, StepIndex } from "../model/units.ts";
import type { Value } from "../model/value.ts";
import type { CalledWorkflow, CancelMode, ParkCause, Vote } from "../journal/event.ts";

interface At<Kind extends string> {
  readonly kind: Kind;
  readonly at: EpochMs;
}

export type Happening =
  | CreateHappening
  | At<"begin">
  /** Takes up what follows from the last decision; also what a recovered execution is woken with. */
  | At<"proceed">
  /** Slot and resources were found for a step (STATE-4). Grants are happenings, so that a journal can be repeated. */
  | (At<"granted"> & {
      readonly step: StepIndex;
      readonly worker?: string;
      /** What bounds the attempt where the step itself says nothing (FAIL-4). */
      readonly timeout?: DurationMs | undefined;
    })
  /** The definition that a `workflow` step asked for is in the library. */
  | (At<"resolved"> & { readonly step: StepIndex; readonly definition: ContentHash })
  | (At<"unresolved"> & { readonly step: StepIndex; readonly failure: Failure })
  | (At<"ended"> & { readonly step: StepIndex; readonly epoch: number; readonly outcome: Outcome })
  /** The attempt went down with its process, or its lease ran out (FAIL-9). */
  | (At<"lost"> & {
      readonly step: StepIndex;
      readonly epoch: number;
      readonly reason: string;
      /** Whoever ran it gave it up in order, which is no crash (FAIL-9). */
      readonly graceful?: true;
    })
  | (At<"due"> & { readonly timer: Timer })
  | (At<"signalled"> & { readonly id: string; readonly name: string; readonly payload: Value })
  /** The step by its name: who votes has seen that, and a scope may open between the vote and its turn. */
  | (At<"voted"> & { readonly step: string } & Vote)
  | (At<"cancel"> & {
      readonly mode: CancelMode;
      readonly reason: string;
      readonly grace?: DurationMs;
      readonly compensate?: boolean;
    })
  | (At<"pause"> & { readonly by?: string })
  | (At<"resume"> & { readonly by?: string })
  | (At<"park"> & { readonly cause: ParkCause; readonly reason: string; readonly step?: StepIndex })
  /** A new round (STATE-2), or with `undo` one more try at what could not be undone, and nothing else (FAIL-8). */
  | (At<"retry"> & { readonly by?: string; readonly undo?: boolean });

export interface CreateHappening extends At<"create"> {
  readonly execution: ExecutionId;
  readonly definition: ContentHash;
  readonly input: Value;
  readonly seed: number;
  readonly correlationId: string;
  readonly workflows?: readonly CalledWorkflow[] | undefined;
  readonly priority?: number | undefined;
  readonly key?: string | undefined;
}

/** How an attempt ended. */
export type Outcome =
  | { readonly kind: "succeeded"; readonly output: Value }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "skipped"; readonly message: string }
  | { readonly kind: "expanded"; readonly steps: readonly StepDefinition[]; readonly result?: string };

/** What can come due. When it is no longer true by then it is ignored. */
export type Timer = WaitTimer | { readonly kind: "attempt-deadline"; readonly step: StepIndex; readonly epoch: number };

/** A timer of the execution itself, or of a step that waits. */
export type WaitTimer =
  | { readonly kind: "execution-deadline" }
  | { readonly kind: "backoff"; readonly step: StepIndex; readonly epoch: number }
  | { readonly kind: "wait"; readonly step: StepIndex }
  | { readonly kind: "scope-deadline"; readonly step: StepIndex }
  | { readonly kind: "force" };
