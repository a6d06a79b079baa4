// Resources: what attempts share by name over all executions of the engine (SCHED-4). A capacity is held while an attempt
// runs; a quota is used up and comes back with time.
//
//   R1. The bound belongs to who takes, not to the resource: two workflows that declare the same name differently each keep
//       what they promise, and what fits by itself never waits for ever.

import type { BlockedGroup } from "../blocked-group.ts";
import { Meter } from "./meter.ts";
import { QuotaWindow } from "./quota-window.ts";

/** What a resource stands for: the limit of an agent or of a step, or something that a workflow named. */
export type ResourceRole = "agent" | "step" | "resource";

/** What one claim takes of a resource. */
export interface ResourceAmount {
  readonly resource: Resource;
  readonly meter: Meter;
  readonly amount: number;
  /** What may be in use at most, this amount included. */
  readonly bound: number;
  /** What may be in use at most for this amount to fit: the bound less the amount. */
  readonly threshold: number;
  /** An attempt that was abandoned gives it back, although it still runs. */
  readonly isReleased: boolean;
}

abstract class BaseResource {
  readonly name: string;
  readonly role: ResourceRole;
  /** The blocked groups of those whom the reservation holds up, by the amount that they want. */
  readonly blockedByReservation: Map<number, BlockedGroup> = new Map();

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

  toAmount(amount: number, capacity: number, isReleased: boolean = false): ResourceAmount {
    return Object.freeze({
      resource: this,
      meter: this.meter,
      amount,
      bound: capacity,
      threshold: capacity - amount,
      isReleased,
    });
  }
}

export class Quota extends BaseResource {
  readonly kind = "quota" as const;
  /** One for each length of time that somebody declared. */
  readonly #windows: QuotaWindow[] = [];

  get meters(): readonly QuotaWindow[] {
    return this.#windows;
  }

  toAmount(amount: number, rate: number, perMs: number): ResourceAmount {
    return Object.freeze({
      resource: this,
      meter: this.#window(perMs),
      amount,
      bound: rate,
      threshold: rate - amount,
      isReleased: true,
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
    if (longest !== undefined) window.recall(longest);
    this.#windows.push(window);
    return window;
  }
}

export type Resource = Capacity | Quota;
