// A repetition as the work of a step (STATE-13): its options, its types, and the functions that run each iteration.
//
//   RW1. `first` is the `last` of the first iteration. It is evaluated in the attempt and recorded nowhere.
//   RW2. A function `until` is called in the attempt of its iteration, with the output as JSON. Its result is recorded with the
//        end of the attempt. If it fails, the step fails for good, because another attempt would repeat the iteration.
//   RW3. If the iteration runs no function, a function `until` is an internal step of its own.

import type { RawRepeat, RawStep } from "@segno/contract";
import { PermanentError, type Json, type JsonObject } from "@segno/kernel";
import { describeKind } from "@segno/kernel/describe-value";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { safeCheck } from "../checks/copy-json.ts";
import type { Agent, NamedAgent } from "../agents/agent.ts";
import { DerivedContext } from "../agents/derived-context.ts";
import { isExpansion } from "../agents/expansion.ts";
import type { Jsonified } from "../agents/jsonified.ts";
import { LastIteration } from "../agents/last-iteration.ts";
import { isSkip } from "../agents/skip.ts";
import type { HandlerContext, IterationContext, StepContext } from "../agents/step-context.ts";
import type { ChildWork } from "./child-work.ts";
import type { CallWork } from "./command.ts";
import type { FlowWork } from "./flow-work.ts";
import type { Returned } from "./step-outputs.ts";

/** `Outputs` and `Input` are those of the step that repeats. */
export interface RepeatedWork<Result, Outputs = unknown, Input = unknown> {
  readonly kind: "repeat";
  readonly work: IterationWork;
  readonly options: RepeatOptions;
  /** Never present at run time: they carry the types. */
  readonly result?: Result;
  readonly data?: (outputs: Outputs, input: Input) => void;
}

/** The work of an iteration. Agents, commands and called workflows read `${ last }` and `${ index }` in templates. */
export type IterationWork =
  | ((context: never) => unknown)
  | NamedAgent<unknown>
  | CallWork<unknown>
  | FlowWork<unknown>
  | ChildWork<unknown>;

/** `max`, `until` or both are required. These options apply to each iteration; those of the step apply to the whole. */
export interface RepeatOptions
  extends Pick<RawRepeat, "max" | "delay">, Pick<RawStep, "retry" | "timeout" | "limits" | "resources" | "input"> {
  /**
   * Ends the repetition: an expression such as `last.done`, or a function. Both read the output of the iteration that has ended
   * as `last`. If it is still false after `max` iterations (1,000 if absent), the step fails with `REPEAT_LIMIT`.
   */
  readonly until?: string | ((context: never) => boolean | Promise<boolean>);
  /** The `last` of the first iteration, or a function that returns it; null if absent. */
  readonly first?: unknown;
}

/** An expression, or a function of the iteration that has ended. */
export type RepeatUntil<Last, Outputs, Input> =
  | string
  | ((context: IterationContext<Last, Outputs, Input>) => boolean | Promise<boolean>);

/** Options with a first value, which gives `last` its type. */
export interface TypedRepeatOptions<Last, Outputs, Input> extends Omit<RepeatOptions, "until" | "first" | "input"> {
  /** The `last` of the first iteration, or a function that returns it. */
  readonly first: Last | ((context: HandlerContext<Outputs, Input>) => Last | Promise<Last>);
  /** Ends the repetition: an expression, or a function of the iteration that has ended. */
  readonly until?: RepeatUntil<Jsonified<Last>, Outputs, Input>;
}

/** Options without a first value: `last` is any JSON. */
export interface OpenRepeatOptions<Outputs, Input> extends Omit<RepeatOptions, "until" | "first" | "input"> {
  /** Must be absent; with it, `last` has a type. */
  readonly first?: undefined;
  /** Ends the repetition: an expression, or a function of the iteration that has ended. */
  readonly until?: RepeatUntil<Json, Outputs, Input>;
}

/**
 * Runs a function again and again, each time with the output of the time before as `last`. Each iteration is a durable
 * step of its own. `first` gives `last` its first value and its type.
 *
 * @example
 * ```ts
 * import { Engine, repeat, workflow } from "segno";
 *
 * const grow = workflow("grow")
 *   .step(
 *     "double",
 *     repeat({ first: { size: 1 }, until: ({ last }) => last.size > 10, max: 20 }, ({ last }) => ({ size: last.size * 2 })),
 *   )
 *   .output(({ outputs }) => outputs.double.size);
 *
 * await using engine = await Engine.open({ store: "none" });
 * const execution = await engine.start(grow);
 * console.log(await execution.result()); // 16
 * ```
 */
export function repeat<Outputs, Input, Last>(
  options: TypedRepeatOptions<Last, Outputs, Input>,
  work: (
    context: IterationContext<Jsonified<Last>, Outputs, Input>,
  ) => NoInfer<Jsonified<Last>> | Promise<NoInfer<Jsonified<Last>>>,
): RepeatedWork<Last, Outputs, Input>;
/** Without `first`, `last` is null in the first iteration, and any JSON after it. */
export function repeat<Outputs, Input, Result>(
  options: OpenRepeatOptions<Outputs, Input>,
  work: (context: IterationContext<Json, Outputs, Input>) => Result | Promise<Result>,
): RepeatedWork<Returned<Result>, Outputs, Input>;
/** An agent, a command or a called workflow as the iteration. Its `input` is an option, and reads `${ last }` and `${ index }`. */
export function repeat<Outputs, Input, Result>(
  options: Omit<RepeatOptions, "until" | "first"> & {
    readonly first?: undefined;
    readonly until?: RepeatUntil<NoInfer<Result>, Outputs, Input>;
  },
  work: NamedAgent<Result> | CallWork<Result> | FlowWork<Result> | ChildWork<Result>,
): RepeatedWork<Result, Outputs, Input>;
export function repeat(options: RepeatOptions, work: IterationWork): RepeatedWork<unknown, never, never> {
  return { kind: "repeat", work, options };
}

/** The id of the step that runs each iteration. */
export const ITERATION_ID = "iteration";
/** The id of the internal step that calls a function `until` (RW3). */
export const UNTIL_ID = "_until";

/** Whether a function of the iteration itself decides about the end (RW2). */
export function isEndedByHandler({ work, options }: RepeatedWork<unknown, never, never>): boolean {
  return typeof work === "function" && typeof options.until === "function";
}

/** The functions of a repetition as agents, by the ids of their steps. */
export function repeatAgents({
  work,
  options,
}: RepeatedWork<unknown, never, never>): readonly (readonly [string, Agent])[] {
  const { until } = options;
  if (typeof work === "function") return [[ITERATION_ID, iterationAgent(work, options)]];
  return typeof until === "function" ? [[UNTIL_ID, untilAgent(until)]] : [];
}

function iterationAgent(handler: (context: never) => unknown, { first, until }: RepeatOptions): Agent {
  return {
    async execute(_, context): Promise<unknown> {
      const last = await lastValue(context as RepeatContext, first);
      const result = await handler(new OwnIterationContext(context, last) as never);
      return typeof until === "function" ? markLast(result, until, context) : result;
    },
  };
}

function untilAgent(until: (context: never) => unknown): Agent {
  return {
    execute: async (outputs, context) =>
      callUntil(until, new OwnIterationContext(context, outputs[ITERATION_ID] ?? null)),
  };
}

async function lastValue(context: RepeatContext, first: unknown): Promise<Json> {
  const { index, last } = context.iteration;
  if (index > 0 || first === undefined) return last;
  const given: unknown = typeof first === "function" ? await first(context) : first;
  const check = safeCheck(given);
  if (check.kind === "json") return check.json;
  throw new RepeatError("OUTPUT_NOT_JSON", "`first` of the repetition is not JSON");
}

async function markLast(result: unknown, until: (context: never) => unknown, context: StepContext): Promise<unknown> {
  if (isExpansion(result))
    throw new RepeatError(
      "EXPANSION_INVALID",
      "an iteration whose `until` is a function cannot return steps; write `until` as an expression",
    );
  const output = isSkip(result) || result === undefined ? null : result;
  const check = safeCheck(output);
  // A result that is not JSON fails the attempt, with a message that names the part.
  if (check.kind !== "json") return result;
  const isLast = await callUntil(until, new OwnIterationContext(context, check.json));
  return isLast ? new LastIteration(check.json) : result;
}

async function callUntil(until: (context: never) => unknown, context: OwnIterationContext): Promise<boolean> {
  let result: unknown;
  try {
    result = await until(context as never);
  } catch (error) {
    throw new RepeatError("CALLBACK_FAILED", `\`until\` failed: ${thrownMessage(error)}`, { cause: error });
  }
  if (typeof result === "boolean") return result;
  throw new RepeatError("UNTIL_NOT_BOOLEAN", `\`until\` returned ${describeKind(result)}, not true or false`);
}

type RepeatErrorCode = "CALLBACK_FAILED" | "EXPANSION_INVALID" | "OUTPUT_NOT_JSON" | "UNTIL_NOT_BOOLEAN";

class RepeatError extends PermanentError {
  readonly code: RepeatErrorCode;

  constructor(code: RepeatErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The context of a function of a repetition. */
type RepeatContext = HandlerContext<JsonObject> & {
  readonly iteration: { readonly index: number; readonly last: Json };
};

class OwnIterationContext extends DerivedContext implements IterationContext<Json, JsonObject> {
  readonly #context: RepeatContext;
  readonly last: Json;

  constructor(context: StepContext, last: Json) {
    super(context);
    this.#context = context as RepeatContext;
    this.last = last;
  }

  get index(): number {
    return this.#context.iteration.index;
  }

  get input(): Json {
    return this.#context.input;
  }

  get outputs(): JsonObject {
    return this.#context.outputs;
  }
}
