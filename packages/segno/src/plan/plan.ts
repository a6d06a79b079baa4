// A plan: what an execution would do, as far as it can be known before anything runs. Plain data, to show as text or to print
// as JSON. A field that cannot be known is absent.

import type { ActionDefinition, ContentHash, FailureMode, StepId } from "@segno/kernel";

/** The plan of a workflow: which steps run, in which waves and under which conditions. */
export interface Plan {
  readonly workflow: string;
  readonly version?: string;
  readonly description?: string;
  readonly hash: ContentHash;
  readonly hasInput: boolean;
  readonly policy: PlanPolicy;
  /** Ids by wave; inside a wave in the order of declaration (GRAPH-2). Disabled steps have no wave (GRAPH-5). */
  readonly waves: readonly (readonly StepId[])[];
  /** In the order of the waves; steps without a wave come last. */
  readonly steps: readonly PlannedStep[];
  readonly counts: Readonly<Record<PlanVerdict["kind"], number>>;
}

/** Settings of the whole workflow. */
export interface PlanPolicy {
  readonly onFailure?: FailureMode;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
}

/** A step of a plan. */
export interface PlannedStep {
  readonly id: StepId;
  readonly name?: string;
  /** Index into `waves`. */
  readonly wave: number | null;
  readonly kind: ActionDefinition["kind"];
  /** A short description of the action. */
  readonly does: string;
  /** The steps that a map runs for each item. */
  readonly inside?: readonly StepId[];
  /** How a map runs its items, or a repetition its iterations; absent if the workflow sets nothing. */
  readonly each?: EachSummary;
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

/** Whether a planned step runs. */
export type PlanVerdict =
  | { readonly kind: "runs" }
  /** The condition cannot be decided yet; `reads` lists what is missing. */
  | { readonly kind: "conditional"; readonly reads: readonly string[] }
  /** The step is a fallback, and runs only if its primary fails (STATE-8). */
  | { readonly kind: "on-failure"; readonly of: StepId }
  | { readonly kind: "skipped"; readonly reason: PlannedSkipReason }
  /** The condition is known to fail. */
  | { readonly kind: "fails"; readonly code: string; readonly message: string };

/** The reasons why a plan skips a step. */
export type PlannedSkipReason = "disabled" | "condition-false" | "fallback-unused";

/** The dependencies, resources, secrets and the agent that a planned step needs. */
export interface StepNeeds {
  readonly steps: readonly NeededStep[];
  readonly resources: Readonly<Record<string, number>>;
  readonly secrets: readonly string[];
  readonly agent?: string;
}

/** A dependency of a planned step. */
export interface NeededStep {
  readonly step: StepId;
  readonly on: "succeeded" | "settled";
}

/** The retry policy of a planned step. */
export interface RetrySummary {
  readonly attempts?: number;
  readonly on?: readonly string[];
}

/** How a planned map runs its items, or a planned repetition its iterations. */
export interface EachSummary {
  /** The maximum number of items that run at once. */
  readonly concurrency?: number;
  /** The number of items, or their share, that may fail. */
  readonly tolerance?: number | string;
  /** The retry policy, if an item or iteration has one step. */
  readonly retry?: RetrySummary;
  /** The timeout of an attempt, if an item or iteration has one step. */
  readonly timeoutMs?: number;
}

/** How a planned step is undone. */
export interface CompensationSummary {
  readonly kind: ActionDefinition["kind"];
  readonly does: string;
  readonly secrets: readonly string[];
}
