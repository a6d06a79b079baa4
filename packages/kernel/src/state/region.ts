// Regions: the steps of one program inside an execution, and the scope that they form (STATE-9).
//
// The workflow itself is region 0. A step that opens appends a region: one instance of a program for a sub-workflow or for
// steps made at run time, `count` instances of one template for a map, one instance for each iteration of a repetition. Step indexes
// are never reused.

import type { LazySet } from "./lazy-map.ts";
import type { Failure } from "../model/failure.ts";
import type { Value } from "../model/value.ts";
import type { Program } from "../program/program.ts";

export type RegionKind = "root" | "items" | "iteration" | "workflow" | "steps" | "compensation";

/** The items of a map with a limit that are running (`item-window.ts`). */
export interface ItemWindow {
  readonly limit: number;
  /** Items before this one have begun. */
  begun: number;
  /** The number of items that have begun and not ended. */
  active: number;
  /** For each item, the number of its steps that have not ended. */
  readonly left: Int32Array;
}

/** The position of a sequential workflow in its plan (`sequential-plan.ts`). */
export interface SequentialPlan {
  /** The position of the step that may run now. */
  next: number;
  /** The steps in plan order. */
  readonly steps: Int32Array;
  /** The position of each step in the plan. */
  readonly sequence: Int32Array;
}

export interface Region {
  readonly kind: RegionKind;
  readonly program: Program;
  /** The index of its first step. `size` is the number of its steps. */
  readonly base: number;
  readonly size: number;
  /** The number of steps of one instance; `size` is `stride` times the number of instances. */
  readonly stride: number;
  /** The step that opened the region; -1 for the workflow itself and for a compensation. */
  readonly parent: number;
  /** The epoch of the parent when it opened: a later attempt of the parent has a higher epoch. 0 without a parent. */
  readonly epoch: number;
  readonly depth: number;
  /** The number of the iteration, from 0 (STATE-13); -1 for the other kinds. */
  readonly iteration: number;
  /** The number of iterations that may follow this one; a new round counts again. 0 for the other kinds. */
  iterationsLeft: number;
  /** The items of a map, or the input of a sub-workflow. */
  readonly value: Value | undefined;
  /** The child, within an instance, whose output is the output of the instance; -1 for the outputs of all children. */
  readonly result: number;
  /** For a compensation, the step that each of its steps undoes; empty for the other kinds. */
  readonly undoes: readonly number[];
  /** Only for a map with a limit. */
  readonly window: ItemWindow | undefined;
  /** Only for a sequential workflow. */
  readonly plan: SequentialPlan | undefined;
  /** Whether the parent started over after it opened this region. */
  isHistory: boolean;
  /** The number of steps that have not ended. */
  unsettled: number;
  /** Instances in which a step failed for good; only a map uses their number. */
  readonly failedInstances: LazySet<number>;
  /**
   * A step of a map whose failure stops the others once the map fails; -1 if there is none. Its own failure may have been
   * tolerated. It is part of the state, so that a reloaded execution decides like one that stayed in memory.
   */
  stoppingStep: number;
  /** The failure of a failing region; without a child if the region timed out. */
  failure: { readonly failure: Failure; readonly child: number | undefined } | undefined;
}

/** The index of a step within its program. */
export function localStep(region: Region, step: number): number {
  const offset = step - region.base;
  // Division is expensive, and only maps have more than one instance.
  return offset < region.stride ? offset : offset % region.stride;
}

/** The item of a map that a step belongs to. */
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
  const sequence = new Int32Array(program.graph.size);
  const steps = stepsInPlanOrder(program);
  steps.forEach((step, position) => (sequence[step] = position));
  return { next: 0, steps, sequence };
}

/** A dependant of a step waits for the fallback of that step too, so the fallback comes before its dependants in the plan. */
function stepsInPlanOrder({ order, graph, steps }: Program): Int32Array {
  const line = new Int32Array(order.steps.length);
  let position = 0;
  for (const first of order.steps) {
    if (steps[first]!.primary >= 0) continue;
    for (let step = first; step >= 0 && graph.disabled[step] === 0; step = steps[step]!.fallback)
      line[position++] = step;
  }
  return line;
}
