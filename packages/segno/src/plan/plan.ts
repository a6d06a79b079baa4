// A plan: what would happen, as far as it can be known before anything runs. Plain data, ready to be shown or printed
// as JSON; what a field cannot say truthfully is left out.

import type { ActionDefinition, ContentHash, FailureMode, StepId } from "@segno/kernel";

export interface Plan {
  readonly workflow: string;
  readonly version?: string;
  readonly description?: string;
  readonly hash: ContentHash;
  readonly hasInput: boolean;
  readonly policy: PlanPolicy;
  /** Ids, wave by wave; inside a wave as declared (GRAPH-2). Disabled steps are in none (GRAPH-5). */
  readonly waves: readonly (readonly StepId[])[];
  /** In the order of the waves; those that are in no wave come last. */
  readonly steps: readonly PlannedStep[];
  readonly counts: Readonly<Record<PlanVerdict["kind"], number>>;
}

/** What was written for the workflow as a whole. */
export interface PlanPolicy {
  readonly onFailure?: FailureMode;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
}

export interface PlannedStep {
  readonly id: StepId;
  readonly name?: string;
  /** Index into `waves`. */
  readonly wave: number | null;
  readonly kind: ActionDefinition["kind"];
  /** What it does, in a few words. */
  readonly does: string;
  /** The steps that a map runs for each item. */
  readonly inside?: readonly StepId[];
  readonly when?: string;
  readonly verdict: PlanVerdict;
  readonly needs: StepNeeds;
  readonly writes?: string;
  readonly retry?: RetrySummary;
  readonly timeoutMs?: number;
  readonly onError?: "fail" | "finish" | "continue";
  readonly fallback?: StepId;
  readonly compensate?: CompensationSummary;
}

export type PlanVerdict =
  | { readonly kind: "runs" }
  /** Its condition cannot be decided yet; `reads` says what is missing. */
  | { readonly kind: "conditional"; readonly reads: readonly string[] }
  /** It stands in for another step, and only if that one fails (STATE-8). */
  | { readonly kind: "on-failure"; readonly of: StepId }
  | { readonly kind: "skipped"; readonly reason: PlannedSkipReason }
  /** Its condition is known to give no answer. */
  | { readonly kind: "fails"; readonly code: string; readonly message: string };

export type PlannedSkipReason = "disabled" | "condition-false" | "fallback-unused";

export interface StepNeeds {
  readonly steps: readonly NeededStep[];
  readonly resources: Readonly<Record<string, number>>;
  readonly secrets: readonly string[];
  readonly agent?: string;
}

export interface NeededStep {
  readonly step: StepId;
  readonly on: "succeeded" | "settled";
}

export interface RetrySummary {
  readonly attempts?: number;
  readonly on?: readonly string[];
}

export interface CompensationSummary {
  readonly kind: ActionDefinition["kind"];
  readonly does: string;
  readonly secrets: readonly string[];
}
