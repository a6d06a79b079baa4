// Work that needs no runner: waiting for a time, a signal or other steps, approvals, sub-workflows, and maps.

import type { RawApprove, RawStep } from "@segno/contract";
import { SegnoError, type Json, type JsonSchema } from "@segno/kernel";
import { invalidOption } from "../checks/option-error.ts";
import { isObject } from "../checks/option-rules.ts";
import type { NamedAgent } from "../agents/agent.ts";
import type { Jsonified, MisfitItem } from "../agents/jsonified.ts";
import type { HandlerContext, ItemContext } from "../agents/step-context.ts";
import type { ChildWork } from "./child-work.ts";
import type { CallWork } from "./command.ts";
import { isStandardSchema, toStoredSchema, type StandardSchema } from "./standard-schema.ts";
import type { OutputOptions } from "./step-options.ts";
import type { Returned, SchemaOutput } from "./step-outputs.ts";

type WaitFields = NonNullable<RawStep["wait"]>;
type MapFields = NonNullable<RawStep["map"]>;

/** `Result` is the output that dependants see. */
export interface FlowWork<Result> {
  readonly kind: "flow";
  readonly flow: Pick<RawStep, "wait" | "approve" | "barrier">;
  /** Never present at run time: it carries the type. */
  readonly result?: Result;
}

/** `Outputs` and `Input` are the arguments of its source, if it has one. */
export interface MapWork<Result, Outputs = unknown, Input = unknown> {
  readonly kind: "map";
  /** An expression, a matrix, or the source of the items. */
  readonly over: string | readonly unknown[] | MatrixLists | MapSource<Outputs, Input, unknown>;
  readonly work: ItemWork<unknown>;
  readonly options: MapOptions;
  readonly result?: Result;
}

/** The lists of a matrix by name, each as a list or as an expression that gives one. */
export type MatrixLists = Readonly<Record<string, string | readonly unknown[]>>;

/** An item of a matrix: one element of each list. The elements of an expression have an unknown type. */
export type MatrixItem<Lists extends MatrixLists> = {
  readonly [Name in keyof Lists]: Lists[Name] extends readonly (infer Item)[] ? Item : Json;
};

/** Excludes strings, although they are iterable. */
export type Items<Item> = object & (Iterable<Item> | AsyncIterable<Item>);

/** Produces the items of a map, all at once or one by one. It gets the context of a handler of the step. */
export type MapSource<Outputs, Input, Item> = (
  context: HandlerContext<Outputs, Input>,
) => Items<Item> | Promise<Items<Item>>;

/** The function of a map; it is called for each item. */
export type ItemHandler<Item, Result> = (context: ItemContext<Item>) => Result | Promise<Result>;

/** A workflow gets the item as its input. An agent or a command gets `item` and `index` as its input, and in templates as `${ item }` and `${ index }`. */
export type ItemWork<Result> = ItemHandler<never, Result> | NamedAgent<Result> | CallWork<Result> | ChildWork<Result>;

/** These options apply to each item; the options of the step apply to the whole map. */
export interface MapOptions
  extends
    Pick<MapFields, "concurrency" | "label" | "tolerance">,
    Pick<RawStep, "retry" | "timeout" | "limits" | "resources"> {
  /** Selects and checks the output of an item. Items write no variables. */
  readonly output?: Pick<OutputOptions, "select" | "schema">;
  /** Runs for an item that fails permanently; its result replaces the item's (STATE-8). */
  readonly fallback?: ItemWork<unknown>;
}

/** The output of an approval. */
export interface Approval {
  /** Whether the approval was given. */
  readonly approved: boolean;
  /** True if the approval expired without a decision. */
  readonly expired: boolean;
  /** The votes, oldest first. */
  readonly votes: readonly ApprovalVote[];
}

/** A vote in the output of an approval. */
export interface ApprovalVote {
  readonly by: string;
  readonly verdict: string;
  readonly comment: string | null;
}

/** The output of an approval with a schema. */
export interface AnsweredApproval<Answer> extends Approval {
  /** The answer of the vote that decided the approval; null if it expired. */
  readonly answer: Answer | null;
  readonly votes: readonly (ApprovalVote & { readonly answer: Answer | null })[];
}

/**
 * Waits for a duration, and holds no slot or resource meanwhile.
 *
 * @example
 * ```ts
 * import { sleep, workflow } from "segno";
 * import { openTestEngine } from "segno/testing";
 *
 * const trial = workflow("trial")
 *   .step("a-week", sleep("7d"))
 *   .step("mail", { dependsOn: ["a-week"] }, () => "have you tried everything?")
 *   .output(({ outputs }) => outputs.mail);
 *
 * await using test = await openTestEngine();
 * const execution = await test.start(trial);
 * await test.advance("7d");
 * console.log(await execution.result()); // have you tried everything?
 * ```
 */
export function sleep(duration: NonNullable<WaitFields["for"]>): FlowWork<null> {
  return { kind: "flow", flow: { wait: { for: duration } } };
}

/** Waits until a time such as `2030-01-31T09:00:00Z`, or one from a template. */
export function sleepUntil(time: string): FlowWork<null> {
  return { kind: "flow", flow: { wait: { until: time } } };
}

/** Options of `waitForSignal`. */
export interface SignalWaitOptions<Payload = unknown> extends Pick<WaitFields, "timeout"> {
  /**
   * A JSON Schema, or a Standard Schema, which also types the payload. The sender of a payload that does not fit gets
   * `SIGNAL_INVALID`, and the step still waits. The payload is not converted.
   */
  readonly schema?: StandardSchema<unknown, Payload> | JsonSchema;
}

/**
 * Waits for a signal and outputs its payload. A signal that arrived earlier is not lost.
 *
 * @example
 * ```ts
 * import { Engine, waitForSignal, workflow } from "segno";
 *
 * const order = workflow("order")
 *   .step("payment", waitForSignal<{ amount: number }>("paid", { timeout: "7d" }))
 *   .output(({ outputs }) => outputs.payment.amount);
 *
 * await using engine = await Engine.open({ store: "none" });
 * const execution = await engine.start(order);
 * await execution.signal("paid", { amount: 30 }, { id: "payment-7" });
 * console.log(await execution.result()); // 30
 * ```
 */
export function waitForSignal<Payload = Json>(
  name: string,
  options: SignalWaitOptions<Payload> = {},
): FlowWork<Payload> {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  const { schema, ...rest } = options;
  return {
    kind: "flow",
    flow: { wait: { signal: name, ...rest, ...messageSchema(`the signal \`${name}\``, schema) } },
  };
}

/** Other processes check the message, so the schema has to be a JSON Schema. */
function messageSchema(subject: string, schema: SignalWaitOptions["schema"]): Pick<WaitFields, "schema"> {
  if (schema === undefined) return {};
  if (!isStandardSchema(schema)) return { schema };
  const found = toStoredSchema(schema);
  if (found.kind === "schema") return { schema: found.schema };
  throw new SegnoError("DEFINITION_INVALID", `the schema of ${subject} cannot be used: ${found.reason}`);
}

/** Options of `approval`. */
export interface ApprovalOptions<Answer = unknown> extends Omit<RawApprove, "schema"> {
  /**
   * A JSON Schema, or a Standard Schema, which also types the answer. Each vote to approve must have an `answer` that fits;
   * another vote rejects with `ANSWER_INVALID`, and the approval still waits. The answer is not converted.
   */
  readonly schema?: StandardSchema<unknown, Answer> | JsonSchema;
}

/**
 * Waits until the voters approve.
 *
 * @example
 * ```ts
 * import { approval, workflow } from "segno";
 * import { openTestEngine } from "segno/testing";
 *
 * const release = workflow("release")
 *   .step("ask", approval({ by: ["ann", "bob"], message: "Release it?", expires: "2d" }))
 *   .output(({ outputs }) => outputs.ask.approved);
 *
 * await using test = await openTestEngine();
 * const execution = await test.start(release);
 * await test.untilIdle();
 * await execution.approve("ask", { by: "ann", comment: "good" });
 * console.log(await execution.result()); // true
 * ```
 */
export function approval(options?: ApprovalOptions & { readonly schema?: never }): FlowWork<Approval>;
/**
 * Waits until the voters approve, each with an answer that fits the schema:
 *
 * ```ts
 * .step("ask", approval({ message: "How many?", schema: z.object({ count: z.number() }) }))
 * .step("order", { dependsOn: ["ask"] }, ({ outputs }) => order(outputs.ask.answer?.count ?? 1))
 * ```
 *
 * The answer is null if the approval expired with `onExpire: "approve"`. A person answers with `execution.approve("ask", { by: "ann", answer: { count: 3 } })`.
 */
export function approval<Answer = Json>(
  options: ApprovalOptions<Answer> & { readonly schema: StandardSchema<unknown, Answer> | JsonSchema },
): FlowWork<AnsweredApproval<Answer>>;
export function approval<Answer>(options: ApprovalOptions<Answer> = {}): FlowWork<Approval> {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  const { schema, ...rest } = options;
  return { kind: "flow", flow: { approve: { ...rest, ...messageSchema("an approval", schema) } } };
}

/**
 * A point where steps meet: it ends when all its dependencies have ended, so one dependency on it replaces dependencies
 * on all of them. It runs nothing.
 */
export function barrier(): FlowWork<null> {
  return { kind: "flow", flow: { barrier: true } };
}

/**
 * Runs the same work for each item of the list that an expression returns, such as `steps.files.output`. The output is
 * the list of results in the order of the items, with null for each tolerated failure.
 *
 * @example
 * ```ts
 * import { Engine, map, workflow } from "segno";
 *
 * const sizes = workflow<{ text: string }>("sizes")
 *   .step("words", ({ input }) => input.text.split(" "))
 *   .step(
 *     "lengths",
 *     { dependsOn: ["words"] },
 *     map(({ outputs }) => outputs.words, ({ item }) => item.length, { concurrency: 2 }),
 *   )
 *   .output(({ outputs }) => outputs.lengths);
 *
 * await using engine = await Engine.open({ store: "none" });
 * const execution = await engine.start(sizes, { text: "one three" });
 * console.log(await execution.result()); // [ 3, 5 ]
 * ```
 */
export function map<Item, Result, const Options extends MapOptions>(
  over: string,
  work: ItemHandler<Item, Result> | NamedAgent<Result> | CallWork<Result> | ChildWork<Result, Item>,
  options?: Options,
): MapWork<readonly MapResult<Result, Options>[]>;
/** The same for a literal list. */
export function map<Item, Result, const Options extends MapOptions>(
  items: readonly Item[],
  work:
    | ItemHandler<Jsonified<Item>, Result>
    | NamedAgent<Result>
    | CallWork<Result>
    | ChildWork<Result, Jsonified<Item>>,
  options?: Options,
): MapWork<readonly (MapResult<Result, Options> | MisfitItem<Item>)[]>;
/**
 * The same for all combinations of several lists; an item has one element of each list, and the last list changes fastest:
 *
 * ```ts
 * .step("test", map({ os: ["linux", "windows"], node: [22, 24] }, ({ item }) => test(item.os, item.node)))
 * ```
 */
export function map<const Lists extends MatrixLists, Result, const Options extends MapOptions>(
  lists: Lists,
  work:
    | ItemHandler<Jsonified<MatrixItem<Lists>>, Result>
    | NamedAgent<Result>
    | CallWork<Result>
    | ChildWork<Result, Jsonified<MatrixItem<Lists>>>,
  options?: Options,
): MapWork<readonly (MapResult<Result, Options> | MisfitItem<MatrixItem<Lists>>)[]>;
/**
 * The same for the items that a function of the dependencies returns or yields:
 *
 * ```ts
 * .step("sizes", { dependsOn: ["files"] }, map(({ outputs }) => outputs.files, ({ item }) => item.length))
 * ```
 *
 * A separate step, `<id>-items`, reads the source to its end before the first item runs. It reads the source once, even
 * if the engine restarts in between. The `retry` of the step applies to reading. Its `timeout` limits each attempt at
 * reading, and then all items together. The options of the map apply to each item. All items together are one value of
 * at most 10 MB; use `executeBatch` for larger or endless streams.
 */
export function map<Outputs, Input, Item, Result, const Options extends MapOptions>(
  source: MapSource<Outputs, Input, Item>,
  work:
    | ItemHandler<Jsonified<Item>, Result>
    | NamedAgent<Result>
    | CallWork<Result>
    | ChildWork<Result, Jsonified<Item>>,
  options?: Options,
): MapWork<readonly (MapResult<Result, Options> | MisfitItem<Item>)[], Outputs, Input>;
export function map(
  over: string | readonly unknown[] | MatrixLists | MapSource<never, never, unknown>,
  work: ItemWork<unknown>,
  options: MapOptions = {},
): MapWork<readonly unknown[], never, never> {
  return { kind: "map", over, work, options };
}

/**
 * Not yet as JSON, so that the step refuses what is not JSON with the reason. Items that are not JSON are in the result for
 * the same purpose: an error about the arguments of `map` would be about its last overload.
 */
type MapResult<Result, Options> =
  | SchemaOutput<Options, Options extends { readonly output: { readonly select: string } } ? Json : Returned<Result>>
  | (Options extends { readonly fallback: ItemWork<infer Instead> } ? Returned<Instead> : never)
  | (Options extends { readonly tolerance: number | string } ? null : never);
