// A definition: a workflow as frozen data, in whatever form it was written (CONTRACT-1).
//
// Field names are those of the native contract. Durations are already milliseconds and shorthands are already expanded, so that
// two ways of writing the same workflow give the same definition and the same hash. A field that was not written is absent; the
// defaults are in `policy.ts`.

import type { Json, JsonObject } from "./json.ts";
import type { DurationMs, StepId } from "./units.ts";

/** JSON in which strings may hold `${ … }` expressions (DATA-5). */
export type Template = Json;
/** A bare JMESPath expression. */
export type ExpressionSource = string;
/** A JSON Schema, draft 2020-12 unless `$schema` names draft-07. */
export type JsonSchema = boolean | JsonObject;

/** A workflow in the form that the kernel reads: typed, frozen and independent of the form in which it was written. */
export interface Definition {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly input?: JsonSchema;
  readonly output?: Template;
  readonly variables?: JsonObject;
  /** Paths such as `variables.limits` that no step may write (DATA-4). */
  readonly readOnly?: readonly string[];
  /** Missing values in templates are errors instead of null (DATA-5). */
  readonly strict?: boolean;
  readonly concurrency?: number;
  /** One step at a time, strictly in the order of the plan; a step that waits for its next attempt holds up the next one. */
  readonly sequential?: boolean;
  readonly timeout?: DurationMs;
  /** The time that an attempt has to clean up after a cancellation or a timeout before it is killed (CANCEL-2). */
  readonly grace?: DurationMs;
  readonly onFailure?: FailureMode;
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  readonly secrets?: readonly string[];
  readonly steps: readonly StepDefinition[];
}

/** Decides about the other steps when a step fails for good: stop them, let independent ones finish, or stop and undo. */
export type FailureMode = "abort" | "finish" | "compensate";

/** A resource that steps share: a capacity that they use while they run, or a quota of starts in a period. */
export type ResourceDefinition =
  | {
      readonly kind: "capacity";
      readonly capacity: number;
      /**
       * Decides about the resource of an attempt that is stopped by force and still runs: the attempt keeps the resource
       * until it exits (`hold`, the default), or the resource is free at once (`release`) (CANCEL-2).
       */
      readonly onAbandon?: "hold" | "release";
    }
  | { readonly kind: "quota"; readonly rate: number; readonly per: DurationMs };

/** An agent that a definition declares. */
export interface AgentDefinition {
  readonly module?: string;
  readonly export?: string;
  readonly thread?: boolean;
  readonly limits?: LimitsDefinition;
  readonly breaker?: BreakerDefinition;
}

/** FAIL-6: this many failures in a row open the breaker; after this time one probe may pass. */
export interface BreakerDefinition {
  readonly failures?: number;
  readonly cooldown?: DurationMs;
}

/** A step of a definition: its action, its dependencies and its policies. */
export interface StepDefinition {
  readonly id: StepId;
  readonly name?: string;
  readonly action: ActionDefinition;
  readonly dependsOn?: readonly DependencyDefinition[];
  readonly when?: ExpressionSource;
  readonly input?: Template;
  readonly inputSchema?: JsonSchema;
  readonly output?: OutputDefinition;
  readonly env?: Readonly<Record<string, Template>>;
  /** The working directory of a command; relative to that of the engine. */
  readonly cwd?: Template;
  /** The program of a script, with its arguments; the script is the last argument. */
  readonly shell?: readonly string[];
  /** The standard input of a command: text, or a value that is written as JSON. */
  readonly stdin?: Template;
  /** Patterns of the files that are kept after a success, relative to the working directory (DATA-13). */
  readonly artifacts?: readonly string[];
  readonly secrets?: readonly string[];
  readonly retry?: RetryDefinition;
  readonly timeout?: DurationMs;
  /**
   * `finish` fails the execution too, but stops nothing: steps that do not depend on the failed step run to their end
   * (STATE-7).
   */
  readonly onError?: "fail" | "finish" | "continue";
  /** The step that runs in place of this one when it fails for good (STATE-8). */
  readonly fallback?: StepId;
  readonly compensate?: CompensationDefinition;
  readonly priority?: number;
  readonly resources?: Readonly<Record<string, number>>;
  readonly limits?: LimitsDefinition;
  readonly enabled?: boolean;
  /** Paths under `variables` whose writes by this step are visible only to this step (DATA-4). */
  readonly private?: readonly string[];
}

/** A dependency of a step on another: on its success, or on any end (`settled`). */
export interface DependencyDefinition {
  readonly step: StepId;
  readonly on: "succeeded" | "settled";
}

/** The action of a step. Runners carry out some actions; the kernel itself handles the others. */
export type ActionDefinition =
  | RunnableAction
  | WorkflowAction
  | MapAction
  | RepeatAction
  | WaitAction
  | ApproveAction
  | BarrierAction;

/** Actions that a runner carries out. */
export type RunnableAction =
  | { readonly kind: "run"; readonly script: string }
  | { readonly kind: "exec"; readonly argv: readonly Template[] }
  | { readonly kind: "agent"; readonly agent: string }
  | HttpAction;

/** A step that sends an HTTP request. */
export interface HttpAction {
  readonly kind: "http";
  readonly method: string;
  readonly url: Template;
  readonly headers?: Readonly<Record<string, Template>>;
  readonly body?: Template;
}

/** `name` or `name@version`; the input of the workflow is the step's `input`. */
export interface WorkflowAction {
  readonly kind: "workflow";
  readonly workflow: string;
}

/** One list of a matrix, as data or as an expression. */
export interface MatrixList {
  readonly name: string;
  readonly list: ExpressionSource | readonly Json[];
}

/**
 * The items of the map are all combinations: objects with these names. It is a list, because the order of the names counts
 * and stored JSON has sorted keys.
 */
export type MapMatrix = readonly MatrixList[];

/** A step that runs other steps for each item of a list. */
export interface MapAction {
  readonly kind: "map";
  /** An expression that gives the list, or a matrix. */
  readonly over: ExpressionSource | MapMatrix;
  readonly steps: readonly StepDefinition[];
  /** The child whose output is the item's result; the last one if absent. */
  readonly result?: StepId;
  readonly concurrency?: number;
  /** A template for the label of an item. */
  readonly label?: Template;
  /** The number or the share ("10%") of items that may fail without failing the map. */
  readonly tolerance?: number | string;
}

/** STATE-13: steps that run again and again; each iteration sees the output of the one before as `last`. */
export interface RepeatAction {
  readonly kind: "repeat";
  readonly steps: readonly StepDefinition[];
  /** The child whose output is the output of an iteration; the last one if absent. */
  readonly result?: StepId;
  /** An expression that is evaluated after each iteration; true ends the repetition. */
  readonly until?: ExpressionSource;
  /** A function of a built workflow decides after each iteration whether it was the last one. */
  readonly isEndedByHandler?: true;
  /**
   * The number of iterations. If `until` is there, it is the largest number, and the step fails when it is reached; absent means
   * `REPEAT_MAX_DEFAULT`.
   */
  readonly max?: number;
  /** The time between the end of an iteration and the beginning of the next. */
  readonly delay?: DurationMs;
}

/** A step that waits for a signal, for a duration or until a time. */
export type WaitAction =
  | {
      readonly kind: "wait";
      readonly on: "signal";
      readonly signal: string;
      readonly schema?: JsonSchema;
      readonly timeout?: DurationMs;
    }
  | { readonly kind: "wait"; readonly on: "duration"; readonly for: DurationMs }
  | { readonly kind: "wait"; readonly on: "time"; readonly until: Template };

/** A step that waits until people approve. */
export interface ApproveAction {
  readonly kind: "approve";
  /** The persons who may vote; anyone if absent. */
  readonly by?: readonly string[];
  readonly quorum?: number;
  readonly expires?: DurationMs;
  readonly onExpire?: "reject" | "approve";
  readonly message?: Template;
  /** The schema of the answer that each vote to approve must have. Without it, votes have no answer. */
  readonly schema?: JsonSchema;
}

/** The steps inside a step: those of a map or a repetition. */
export function stepsInside(action: ActionDefinition): readonly StepDefinition[] {
  return action.kind === "map" || action.kind === "repeat" ? action.steps : NO_STEPS;
}

const NO_STEPS: readonly StepDefinition[] = Object.freeze([]);

/** No work: the step is a named point in the graph, and ends as soon as it is ready. */
export interface BarrierAction {
  readonly kind: "barrier";
}

/** How the output of a step is selected, checked and stored. */
export interface OutputDefinition {
  /** A path under `variables`. */
  readonly to?: string;
  /** Applied to the raw output; `@` is the output itself. */
  readonly select?: ExpressionSource;
  readonly merge?: MergeMode;
  readonly schema?: JsonSchema;
}

/** How the output of a step is written to a variable: replace it, merge into an object, or append to a list. */
export type MergeMode = "replace" | "merge" | "append";

/** When and how often a failed attempt is repeated. */
export interface RetryDefinition {
  /** The total number of attempts, including the first (FAIL-3). */
  readonly attempts?: number;
  readonly base?: DurationMs;
  readonly factor?: number;
  readonly max?: DurationMs;
  readonly jitter?: "none" | "full";
  /** The failures that are tried again; transient ones if absent. */
  readonly on?: readonly RetryCause[];
  /** Exit codes of a command that are tried again; 75 always is (ruling 26). */
  readonly exitCodes?: readonly number[];
}

/** `schema`: the output does not fit its schema. */
export type RetryCause = "transient" | "timeout" | "schema";

/** The call that undoes a step which succeeded. */
export interface CompensationDefinition {
  readonly action: RunnableAction;
  readonly input?: Template;
  readonly env?: Readonly<Record<string, Template>>;
  readonly cwd?: Template;
  readonly shell?: readonly string[];
  readonly stdin?: Template;
  readonly secrets?: readonly string[];
  readonly retry?: RetryDefinition;
  readonly timeout?: DurationMs;
}

/** Limits that hold for all executions of an engine together. */
export interface LimitsDefinition {
  readonly concurrency?: number;
  readonly rate?: { readonly rate: number; readonly per: DurationMs };
}
