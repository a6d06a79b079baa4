// An agent returns an expansion to run further steps in its place: they run as children of its step, and the step
// settles with them (STATE-9).

import type { RawStep } from "@segno/contract";

/** A symbol identifies an expansion, not its class, because a module may load its own copy of Segno. */
const EXPANSION: symbol = Symbol.for("segno.expansion");

/** The steps that a handler creates at run time. `expand` makes one. */
export class Expansion {
  readonly steps: readonly RawStep[];
  /** The id of the step whose output becomes the output. */
  readonly result: string | undefined;

  constructor(steps: readonly RawStep[], result: string | undefined) {
    this.steps = steps;
    this.result = result;
    Object.defineProperty(this, EXPANSION, { value: true });
  }
}

/** Options of `expand`. */
export interface ExpandOptions {
  /** The step whose output becomes the output of the expanded step. The default is an object with all outputs by id. */
  readonly result?: string;
}

/**
 * Steps in the format of a contract. They may depend only on each other, and use agents that the engine knows.
 *
 * @example
 * ```ts
 * import { Engine, expand, workflow } from "segno";
 *
 * const tour = workflow<{ stops: readonly string[] }>("tour")
 *   .step("travel", ({ input }) => expand(input.stops.map((stop) => ({ id: stop, agent: "visit", input: stop }))))
 *   .output(({ outputs }) => outputs.travel);
 *
 * await using engine = await Engine.open({ store: "none" });
 * engine.agent("visit", (input) => `was in ${String(input)}`);
 * const execution = await engine.start(tour, { stops: ["Lyon", "Turin"] });
 * console.log(await execution.result()); // { Lyon: 'was in Lyon', Turin: 'was in Turin' }
 * ```
 */
export function expand(steps: readonly RawStep[], { result }: ExpandOptions = {}): Expansion {
  return new Expansion(steps, result);
}

/** Whether the value is marked as an expansion. Its fields can still be anything, because an agent may change them. */
export function isExpansion(value: unknown): value is { readonly steps: unknown; readonly result: unknown } {
  return typeof value === "object" && value !== null && EXPANSION in value;
}
