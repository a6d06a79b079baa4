// The context of an attempt: agents get it beside their input, and the functions of a built workflow get it as their only
// argument.

import type { Artifact, EpochMs, Json } from "@segno/kernel";
import type { StepLogger } from "../events/logger.ts";
import type { ReportProgress } from "./progress.ts";
import type { StreamWriter } from "./stream-writer.ts";
import type { RunCall } from "./recorded-call.ts";

/** The context that agents and handlers get for one attempt of a step. */
export interface StepContext<Input = Json> {
  /** The input of the step. A handler of a built workflow gets the input of the execution, unless its step has an `input` of its own. */
  readonly input: Input;
  /**
   * Aborts when the attempt should stop: the execution is cancelled, the attempt timed out, or the engine closes
   * (CANCEL-1).
   */
  readonly signal: AbortSignal;
  /** The execution that the step belongs to. */
  readonly execution: ExecutionInfo;
  /** The step that runs. */
  readonly step: StepInfo;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The time at which the attempt times out; undefined if it has no time limit. */
  readonly deadline: EpochMs | undefined;
  /** An idempotency key for external calls: the same in every attempt of the step, before and after a restart (IDEM-4). */
  readonly token: string;
  /**
   * The W3C trace context of this attempt, for the header `traceparent` of requests: the trace of the execution, and the
   * attempt as the span. It is the same after a restart (EVENT-6).
   */
  readonly traceparent: string;
  /** The secrets that the step declares, by name. Their values are masked in all output (DATA-9). */
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * The amounts that the step holds while it runs, by resource name. It holds all resources that it declares, or none
   * (SCHED-4).
   */
  readonly resources: Readonly<Record<string, number>>;
  /** The files that the direct dependencies have kept, by the ids of those steps, as copies for this attempt (DATA-13). */
  readonly artifacts: ReceivedArtifacts;
  /** Writes log lines with the ids of execution, step and attempt (EVENT-5). */
  readonly log: StepLogger;
  /**
   * Reports that the attempt is still at work; `status` shows the time of the last call. It throws when the attempt
   * should stop, so a loop with heartbeats ends without checking `signal`. It can be destructured like the other members.
   */
  readonly heartbeat: () => void;
  /** Reports how far the attempt is; `status`, the live view and `show` have the latest value. */
  readonly progress: ReportProgress;
  /** Writes text to the log of the step as it comes, such as the words of a model. */
  readonly stream: StreamWriter;
  /** Calls something by name and records its value, which a later attempt of the step gets back (STATE-14). */
  readonly run: RunCall;
}

/** A file that a dependency has kept. */
export interface ReceivedArtifact extends Artifact {
  /** The path of a read-only copy, which is removed when the attempt has exited. */
  readonly file: string;
}

/** The files that the direct dependencies of a step have kept, by the ids of those steps. */
export type ReceivedArtifacts = Readonly<Record<string, readonly ReceivedArtifact[]>>;

/** The execution that an attempt belongs to. */
export interface ExecutionInfo {
  readonly id: string;
  /** The name of the workflow. */
  readonly workflow: string;
  readonly startedAt: EpochMs;
  /** The correlation id of the start; the execution's id if the start has none. */
  readonly correlationId: string;
}

/** The step that an attempt belongs to. */
export interface StepInfo {
  readonly id: string;
  /** The label of the map item that the step belongs to, if it has one. */
  readonly label: string | undefined;
}

/** The context of a step's function: it also has the outputs of the step's dependencies, by id. */
export interface HandlerContext<Outputs, Input = Json> extends StepContext<Input> {
  /** The outputs of the steps that this step depends on, by id. */
  readonly outputs: Outputs;
}

/** The context of a condition that is a function: the outputs of the step's dependencies, and the workflow's input. */
export interface ConditionContext<Outputs, Input = Json> extends StepContext<Input> {
  /** The outputs of the steps that the step depends on, by id. */
  readonly outputs: Outputs;
}

/** The context of a compensation: it has the output of the step that it undoes. */
export interface CompensationContext<Output, Input = Json> extends StepContext<Input> {
  /** The output of the step that is undone. */
  readonly output: Output;
}

/** The context of one item of a map. */
export interface ItemContext<Item> extends Omit<StepContext, "input"> {
  /** The item of the list. */
  readonly item: Item;
  /** The position of the item, from 0. */
  readonly index: number;
}

/** The context of one iteration of a repetition. `last` is the output of the iteration before (STATE-13). */
export interface IterationContext<Last, Outputs = unknown, Input = Json> extends HandlerContext<Outputs, Input> {
  /** The output of the iteration before; in the first iteration the value of `first`, or null. */
  readonly last: Last;
  /** The number of the iteration, from 0. */
  readonly index: number;
}
