// A scheduler with virtual time and a record of its grants.

import { Claim, Requirement, SLOT_ONLY } from "../../src/scheduler/resources/claim.ts";
import { Capacity, type ResourceShare } from "../../src/scheduler/resources/resource.ts";
import { ScheduledExecution } from "../../src/scheduler/scheduled-execution.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import type { SchedulerPorts } from "../../src/scheduler/scheduler-ports.ts";
import type { Strategy } from "../../src/scheduler/strategy.ts";

const START_MS = 1_763_000_000_000;

export function claimShares(...amounts: readonly ResourceShare[]): Claim {
  return new Claim(0, new Requirement(amounts));
}

export function capacities(): { readonly db: Capacity; readonly disk: Capacity } {
  return { db: new Capacity("db", "resource"), disk: new Capacity("disk", "resource") };
}

export interface SchedulerFixtureOptions {
  readonly slots?: number;
  readonly strategy?: Strategy;
  readonly weight?: (owner: string, step: number) => number;
  readonly onGrant?: (owner: string, step: number) => void;
}

export class SchedulerFixture {
  nowMs: number = START_MS;
  /** The wall clock's offset from the virtual time. */
  clockOffsetMs = 0;
  /** The granted steps, such as `a1`, in order. */
  readonly granted: string[] = [];
  readonly reports: unknown[] = [];
  wakeAtMs: number | undefined;
  readonly scheduler: Scheduler<string>;
  readonly #entries = new Map<string, ScheduledExecution<string>>();

  constructor({ slots = 100, strategy, weight = () => 0, onGrant }: SchedulerFixtureOptions = {}) {
    const ports: SchedulerPorts<string> = {
      grant: (owner, step) => {
        this.granted.push(`${owner}${step}`);
        onGrant?.(owner, step);
      },
      clock: { monotonic: () => this.nowMs, now: () => this.nowMs + this.clockOffsetMs },
      requestWake: (atMs) => {
        this.wakeAtMs = atMs;
      },
      report: (error) => void this.reports.push(error),
      dependantCount: weight,
      stepName: (owner, step) => ({ execution: owner, workflow: "sample", step: `${owner}${step}` }),
      executionId: (owner) => owner,
    };
    this.scheduler = new Scheduler(
      { slots, perAgent: 3 },
      ports,
      ...(strategy === undefined ? [] : ([strategy] as const)),
    );
  }

  /** The entry of an execution; the first call sets its limit and priority. */
  entry(owner: string, limit?: number, priority?: number): ScheduledExecution<string> {
    let entry = this.#entries.get(owner);
    if (entry === undefined) this.#entries.set(owner, (entry = new ScheduledExecution(owner, limit, priority)));
    return entry;
  }

  /** `a1` is step 1 of execution `a`. */
  request(name: string, claim: Claim = SLOT_ONLY): void {
    const [entry, step] = this.#parse(name);
    this.scheduler.request(entry, step, claim);
  }

  release(name: string, attemptToken?: object): void {
    const [entry, step] = this.#parse(name);
    this.scheduler.release(entry, step, attemptToken);
  }

  withdraw(name: string): void {
    const [entry, step] = this.#parse(name);
    this.scheduler.withdraw(entry, step);
  }

  end(name: string, result: "succeeded" | "failing" | "other"): void {
    const [entry, step] = this.#parse(name);
    this.scheduler.reportToBreaker(entry, step, result);
    this.scheduler.release(entry, step);
  }

  why(name: string): ReturnType<Scheduler<string>["why"]> {
    const [entry, step] = this.#parse(name);
    return this.scheduler.why(entry, step);
  }

  /** Returns the grants since the last call. */
  takeGrants(): string[] {
    return this.granted.splice(0);
  }

  /** Advances the time and wakes the scheduler whenever it asked for that. */
  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    while (this.wakeAtMs !== undefined && this.wakeAtMs <= endMs) {
      this.nowMs = Math.max(this.nowMs, this.wakeAtMs);
      this.wakeAtMs = undefined;
      this.scheduler.wake();
    }
    this.nowMs = endMs;
  }

  #parse(name: string): readonly [ScheduledExecution<string>, number] {
    return [this.entry(name.replace(/\d+$/u, "")), Number(/\d+$/u.exec(name)![0])];
  }
}
