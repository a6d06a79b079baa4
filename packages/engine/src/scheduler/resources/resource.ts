// Resources are shared by name across all executions of the engine (SCHED-4). A capacity is held while an attempt runs;
// a quota is consumed and recovers with time.
//
//   R1. The bound belongs to the claim, not to the resource. Two workflows that declare the same name differently each
//       keep to their own bound, and a claim that fits its own bound never waits for ever.

import type { ObstacleGroup } from "../obstacle-group.ts";
import { Meter } from "./meter.ts";
import { QuotaWindow } from "./quota-window.ts";

/**
 * Whether the resource is the limit of an agent, the limit of a step, or a resource that a workflow or the engine
 * declares.
 */
export type ResourceRole = "agent" | "step" | "declared";

/** The amount of one resource that a claim acquires. */
export interface ResourceDemand {
  readonly resource: Resource;
  readonly meter: Meter;
  readonly amount: number;
  /** The highest usage allowed, including this amount. */
  readonly bound: number;
  /** The highest usage at which this amount still fits: the bound minus the amount. */
  readonly threshold: number;
  /** `onAbandon: release`: the amount is freed when the attempt is stopped by force, even if the attempt still runs. */
  readonly isFreedOnForceStop: boolean;
}

abstract class BaseResource {
  readonly name: string;
  readonly role: ResourceRole;
  /** Obstacle groups: the queues that the active reservation blocks, by the amount that they require. */
  readonly reservationGroups: Map<number, ObstacleGroup> = new Map();

  constructor(name: string, role: ResourceRole) {
    this.name = name;
    this.role = role;
  }
}

export class Capacity extends BaseResource {
  readonly kind = "capacity" as const;
  readonly meter: Meter = new Meter();

  get meters(): readonly Meter[] {
    return [this.meter];
  }

  toDemand(amount: number, capacity: number, isFreedOnForceStop: boolean = false): ResourceDemand {
    return Object.freeze({
      resource: this,
      meter: this.meter,
      amount,
      bound: capacity,
      threshold: capacity - amount,
      isFreedOnForceStop,
    });
  }
}

export class Quota extends BaseResource {
  readonly kind = "quota" as const;
  /** One window per length that a definition declares. */
  readonly #windows: QuotaWindow[] = [];

  get meters(): readonly QuotaWindow[] {
    return this.#windows;
  }

  toDemand(amount: number, rate: number, perMs: number): ResourceDemand {
    return Object.freeze({
      resource: this,
      meter: this.#window(perMs),
      amount,
      bound: rate,
      threshold: rate - amount,
      isFreedOnForceStop: true,
    });
  }

  use(atMs: number, amount: number): void {
    for (const window of this.#windows) window.record(atMs, amount);
  }

  #window(perMs: number): QuotaWindow {
    const known = this.#windows.find((window) => window.perMs === perMs);
    if (known !== undefined) return known;
    const window = new QuotaWindow(perMs);
    const longest = this.#windows.toSorted((a, b) => b.perMs - a.perMs)[0];
    if (longest !== undefined) window.copyFrom(longest);
    this.#windows.push(window);
    return window;
  }
}

export type Resource = Capacity | Quota;
