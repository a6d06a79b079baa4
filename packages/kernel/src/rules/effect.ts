// Effects: what the engine is asked to do, as data, in the imperative.
//
// `admit`, `withdraw` and `release` are inward: they settle in memory within the turn. The others are outward and wait
// until the events of the turn are durable (JOURNAL-1).

import type { SecretPath } from "../model/secret-path.ts";
import type { EpochMs, StepIndex } from "../model/units.ts";
import type { Value } from "../model/value.ts";
import type { Timer, WaitTimer } from "./happening.ts";

export type Effect = InwardEffect | OutwardEffect;

export type InwardEffect =
  /** Find slot and resources for a step and come back with `granted`. */
  | { readonly kind: "admit"; readonly step: StepIndex }
  /** Forget what was asked for: one step, or every step of the execution. */
  | { readonly kind: "withdraw"; readonly step?: StepIndex }
  /** Slot and resources of a step are free; the deadline of its attempt is forgotten. */
  | { readonly kind: "release"; readonly step: StepIndex };

export type OutwardEffect =
  | RunEffect
  /** Find the definition that a `workflow` step names and come back with `resolved` or `unresolved`. */
  | { readonly kind: "resolve"; readonly step: StepIndex; readonly workflow: string }
  /** Come back with `due` then. The deadline of an attempt is armed only when it came before its time. */
  | { readonly kind: "arm"; readonly timer: Timer; readonly dueAt: EpochMs }
  /** Forget a timer, or every timer of the execution. One that comes all the same is ignored. */
  | { readonly kind: "disarm"; readonly timer?: WaitTimer }
  /** Fire the attempt's signal; with force, end it and count nothing that still comes (CANCEL-2). */
  | {
      readonly kind: "abort";
      readonly step: StepIndex;
      readonly epoch: number;
      readonly force: boolean;
      readonly reason: string;
    };

export function isInward(effect: Effect): effect is InwardEffect {
  return effect.kind === "admit" || effect.kind === "release" || effect.kind === "withdraw";
}

/**
 * Start an attempt, and if it is still under way at its deadline come back with `due`. That is not a timer of its own to be
 * armed and disarmed: there is one for every step, and whoever runs an attempt keeps account of it anyway.
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
