// Work that no runner carries out: waiting for a time, a signal or other steps, asking people, another workflow, and the same
// work for each item of a list.

import type { StepDocument } from "@segno/contract";
import { SegnoError, type Json } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import { invalidOption } from "../checks/option-error.ts";
import { hasMethods, isObject } from "../checks/option-rules.ts";
import type { BuiltWorkflow } from "../registry/registry.ts";
import type { StepContext } from "../agents/step-context.ts";
import type { CallWork } from "./command.ts";
import type { NamedAgent } from "./named-agent.ts";
import type { Stored } from "./step-outputs.ts";

type WaitFields = NonNullable<StepDocument["wait"]>;
type MapFields = NonNullable<StepDocument["map"]>;

/** `Result` is what dependants see. */
export interface FlowWork<Result> {
  readonly kind: "flow";
  readonly flow: Pick<StepDocument, "wait" | "approve" | "workflow" | "barrier">;
  /** The workflow that is to be known with the one that calls it. */
  readonly child?: BuiltWorkflow;
  /** Never there: it carries the type. */
  readonly result?: Result;
}

/** `Outputs` and `Input` are what its source is given, where it has one. */
export interface MapWork<Result, Outputs = unknown, Input = unknown> {
  readonly kind: "map";
  /** An expression, or where the items come from. */
  readonly over: string | readonly unknown[] | MapSource<Outputs, Input, unknown>;
  readonly work: ItemWork<unknown>;
  readonly options: MapOptions;
  readonly result?: Result;
}

/** Not a text, though one can be iterated over. */
export type Items<Item> = object & (Iterable<Item> | AsyncIterable<Item>);

/** Gives the items of a map, all at once or one by one. It gets what a handler of the step would get. */
export type MapSource<Outputs, Input, Item> = (
  outputs: Outputs,
  context: StepContext<Input>,
) => Items<Item> | Promise<Items<Item>>;

/** What an item is known by beside itself. */
export interface ItemInput<Item> {
  readonly item: Item;
  readonly index: number;
}

export type ItemHandler<Item, Result> = (item: Item, context: StepContext<ItemInput<Item>>) => Result | Promise<Result>;

/** An agent and a command get `item` and `index` as their input, and in templates as `${ item }` and `${ index }`. */
export type ItemWork<Result> = ItemHandler<never, Result> | NamedAgent<Result> | CallWork<Result>;

/** These options apply to each item; the options of the step apply to the whole map. */
export interface MapOptions
  extends
    Pick<MapFields, "concurrency" | "label" | "tolerance">,
    Pick<StepDocument, "retry" | "timeout" | "limits" | "resources"> {
  /** Selects and checks the output of an item. Items write no variables. */
  readonly output?: Pick<NonNullable<StepDocument["output"]>, "select" | "schema">;
  /** Runs for an item whose work fails for good; its result replaces the item's (STATE-8). */
  readonly fallback?: ItemWork<unknown>;
}

export interface Approval {
  readonly approved: boolean;
  /** Whether nobody decided in time. */
  readonly expired: boolean;
  readonly votes: readonly { readonly by: string; readonly verdict: string; readonly comment: string | null }[];
}

/** Sleeps so long; nothing is held meanwhile. */
export function sleep(duration: NonNullable<WaitFields["for"]>): FlowWork<null> {
  return { kind: "flow", flow: { wait: { for: duration } } };
}

/** Sleeps until a time such as `2030-01-31T09:00:00Z`, or one that a template gives. */
export function sleepUntil(time: string): FlowWork<null> {
  return { kind: "flow", flow: { wait: { until: time } } };
}

/** Waits for a signal and gives its payload. One that came before is not lost. */
export function waitForSignal<Payload = Json>(
  name: string,
  options: Pick<WaitFields, "schema" | "timeout"> = {},
): FlowWork<Payload> {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  return { kind: "flow", flow: { wait: { signal: name, ...options } } };
}

/** Waits until people approve. */
export function approval(options: NonNullable<StepDocument["approve"]> = {}): FlowWork<Approval> {
  return { kind: "flow", flow: { approve: options } };
}

/**
 * A point where others meet: it has ended when all that it depends on has, so one dependency on it stands for all of them.
 * It does nothing itself.
 */
export function barrier(): FlowWork<null> {
  return { kind: "flow", flow: { barrier: true } };
}

/** What it is started with is not looked at: a step's `input` is a template. */
interface Child<Output> extends Omit<BuiltWorkflow, "types"> {
  readonly types?: { readonly given: unknown; readonly output: Output };
}

/** Another workflow as one step, with the step's `input`; by its name, or as it was built. */
export function child<Output = Json>(workflow: string | Child<Output>): FlowWork<Output> {
  if (typeof workflow === "string") return { kind: "flow", flow: { workflow } };
  if (!isBuilt(workflow)) throw notBuilt(workflow);
  const { name, version } = workflow.definition;
  const reference = version === undefined ? name : `${name}@${version}`;
  return { kind: "flow", flow: { workflow: reference }, child: workflow };
}

/** Whoever has no types may hand over anything. */
function isBuilt(value: unknown): value is BuiltWorkflow {
  if (!isObject(value)) return false;
  const { definition, agents } = value as Partial<BuiltWorkflow>;
  return isObject(definition) && hasMethods(agents, "get", "entries");
}

function notBuilt(found: unknown): SegnoError {
  const hint = isObject(found) && "steps" in found ? "; register a definition with the engine, and name it here" : "";
  const message = `a child is the name of a workflow, or what \`workflow(...)\` builds, not ${describeValue(found)}${hint}`;
  return new SegnoError("DEFINITION_INVALID", message);
}

/**
 * The same work for each item of the list that an expression gives, such as `steps.files.output`. Its output is the list of
 * results in the order of the items, with null where an item failed that was tolerated.
 */
export function map<Item, Result, const Options extends MapOptions>(
  over: string,
  work: ItemHandler<Item, Result> | NamedAgent<Result> | CallWork<Result>,
  options?: Options,
): MapWork<readonly MapResult<Result, Options>[]>;
/** The same for a list that is given right there. */
export function map<Item, Result, const Options extends MapOptions>(
  items: readonly Item[],
  work: ItemHandler<Item, Result> | NamedAgent<Result> | CallWork<Result>,
  options?: Options,
): MapWork<readonly MapResult<Result, Options>[]>;
/**
 * The same for what a function of the dependencies returns or yields:
 *
 * ```ts
 * .step("sizes", { dependsOn: ["files"] }, map(({ files }) => files, (file) => file.length))
 * ```
 *
 * Such a source is read to its end by a step of its own, `<id>-items`, before the first item runs: once, however often the
 * engine stops in between. The `retry` of the step is that of reading, and its `timeout` bounds an attempt at reading and
 * then all items together; those of the map are those of each item. All items together are a value, so they have at most
 * 10 MB; streams that have more, or no end, are for
 * `executeBatch`.
 */
export function map<Outputs, Input, Item, Result, const Options extends MapOptions>(
  source: MapSource<Outputs, Input, Item>,
  work: ItemHandler<Item, Result> | NamedAgent<Result> | CallWork<Result>,
  options?: Options,
): MapWork<readonly MapResult<Result, Options>[], Outputs, Input>;
export function map(
  over: string | readonly unknown[] | MapSource<never, never, unknown>,
  work: ItemWork<unknown>,
  options: MapOptions = {},
): MapWork<readonly unknown[], never, never> {
  return { kind: "map", over, work, options };
}

type MapResult<Result, Options> =
  | (Options extends { readonly output: { readonly select: string } } ? Json : Stored<Result>)
  | (Options extends { readonly fallback: ItemWork<infer Instead> } ? Stored<Instead> : never)
  | (Options extends { readonly tolerance: number | string } ? null : never);
