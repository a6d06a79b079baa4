// Effects: instructions to the engine, as data, in the imperative.
//
// The engine applies admission effects (`admit`, `withdraw`, `release`) in memory within the turn. External effects wait until the
// events of the turn are durable (JOURNAL-1).

import type { SecretPath } from "../model/secret-path.ts";
import type { EpochMs, StepIndex } from "../model/units.ts";
import type { Value } from "../model/value.ts";
import type { Timer, NonAttemptTimer } from "./happening.ts";

/** A request of the kernel to the engine. */
export type Effect = AdmissionEffect | ExternalEffect;

/** A request about slots and resources. */
export type AdmissionEffect =
  /** Find slot and resources for a step, and return `granted`. */
  | { readonly kind: "admit"; readonly step: StepIndex }
  /** Withdraw the request of one step, or of every step of the execution. */
  | { readonly kind: "withdraw"; readonly step?: StepIndex }
  /** Free the slot and the resources of a step, and disarm the deadline of its attempt. */
  | { readonly kind: "release"; readonly step: StepIndex };

/** A request about attempts, timers and called workflows. */
export type ExternalEffect =
  | RunEffect
  /** Find the definition that a `workflow` step names, and return `resolved` or `unresolved`. */
  | { readonly kind: "resolve-definition"; readonly step: StepIndex; readonly workflow: string }
  /** Return `due` at that time. The deadline of an attempt is armed by this effect only if it fired too early. */
  | { readonly kind: "arm"; readonly timer: Timer; readonly dueAt: EpochMs }
  /** Disarm a timer, or every timer of the execution. A timer that fires anyway is ignored. */
  | { readonly kind: "disarm"; readonly timer?: NonAttemptTimer }
  /** Fire the abort signal of the attempt; with force, kill it and ignore what it still returns (CANCEL-2). */
  | {
      readonly kind: "abort";
      readonly step: StepIndex;
      readonly epoch: number;
      readonly force: boolean;
      readonly reason: string;
    };

export function isAdmissionEffect(effect: Effect): effect is AdmissionEffect {
  return effect.kind === "admit" || effect.kind === "release" || effect.kind === "withdraw";
}

/**
 * Start an attempt, and return `due` if it is still running at its deadline. The deadline has no timer effect of its own: every
 * step has one, and the runner of an attempt tracks it anyway.
 */
export interface RunEffect {
  readonly kind: "run";
  readonly step: StepIndex;
  readonly attempt: number;
  readonly epoch: number;
  readonly call: Value | undefined;
  readonly secrets: readonly SecretPath[];
  readonly deadline: EpochMs | undefined;
}
