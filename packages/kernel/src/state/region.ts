// Regions: the steps of one program inside an execution, and the scope that they make up (STATE-9).
//
// The workflow itself is region 0. A step that opens adds a region behind the others: one instance of a program for a
// sub-workflow or for steps made at run time, `count` instances of one template for a map. Places are never reused.

import type { LazySet } from "./lazy-map.ts";
import type { Failure } from "../model/failure.ts";
import type { Value } from "../model/value.ts";
import type { Program } from "../program/program.ts";

export type RegionKind = "root" | "items" | "workflow" | "steps" | "compensation";

/** Which items of a map with a limit are under way (`item-window.ts`). */
export interface ItemWindow {
  readonly limit: number;
  /** Items before this one have begun. */
  begun: number;
  /** Items that have begun and not ended. */
  active: number;
  /** Steps of each item that have not ended. */
  readonly left: Int32Array;
}

/** Whose turn it is in a sequential workflow (`plan-line.ts`). */
export interface SequentialPlan {
  /** The place in the line that has its turn. */
  next: number;
  /** The steps in their order. */
  readonly steps: Int32Array;
  /** For each step its place in the line. */
  readonly sequence: Int32Array;
}

export interface Region {
  readonly kind: RegionKind;
  readonly program: Program;
  /** Index of its first step, and how many steps it has in all. */
  readonly base: number;
  readonly size: number;
  /** Steps of one instance; `size` is that times the number of instances. */
  readonly stride: number;
  /** The step that opened it; -1 for the workflow itself and for compensation. */
  readonly parent: number;
  /** The epoch that the parent had when it opened: a later attempt of that step has a higher one. 0 without a parent. */
  readonly epoch: number;
  readonly depth: number;
  /** The items of a map, or the input of a sub-workflow. */
  readonly value: Value | undefined;
  /** The child whose output counts, within an instance; -1 for all of them. */
  readonly result: number;
  /** The steps that a compensation undoes, each beside the step that undoes it; empty for all other kinds. */
  readonly undoes: readonly number[];
  /** Of a map with a limit; its items begin one after the other. */
  readonly window: ItemWindow | undefined;
  /** Of a sequential workflow; its steps begin one after the other. */
  readonly line: SequentialPlan | undefined;
  /** Steps that have not ended. */
  unsettled: number;
  /** Instances in which a step failed for good; only a map needs to know how many. */
  readonly failedInstances: LazySet<number>;
  /** Set when it is failing: what failed it; no child when its time was over. */
  failure: { readonly failure: Failure; readonly child: number | undefined } | undefined;
}

/** Which step of its program a place is. */
export function localStep(region: Region, step: number): number {
  const place = step - region.base;
  // Dividing is dear, and only maps have more than one instance.
  return place < region.stride ? place : place % region.stride;
}

/** Which item of a map a place belongs to. */
export function instanceIndex(region: Region, step: number): number {
  return Math.floor((step - region.base) / region.stride);
}

/** Another step of the same instance. */
export function siblingIndex(region: Region, step: number, local: number): number {
  return step - localStep(region, step) + local;
}

export function newWindow(limit: number, items: number, stepsLeft: number): ItemWindow {
  return { limit, begun: 0, active: 0, left: new Int32Array(items).fill(stepsLeft) };
}

export function newSequentialPlan(program: Program): SequentialPlan {
  const places = new Int32Array(program.graph.size);
  const steps = stepsInLine(program);
  steps.forEach((step, place) => (places[step] = place));
  return { next: 0, steps, sequence: places };
}

/** Whoever waits for a step waits for its fallback too, so that one cannot be behind them, wherever the plan has it. */
function stepsInLine({ order, graph, steps }: Program): Int32Array {
  const line = new Int32Array(order.steps.length);
  let place = 0;
  for (const first of order.steps) {
    if (steps[first]!.primary >= 0) continue;
    for (let step = first; step >= 0 && graph.disabled[step] === 0; step = steps[step]!.fallback) line[place++] = step;
  }
  return line;
}
