// A scheduler with virtual time and a record of its grants.

import { Claim, Requirement, SLOT_ONLY } from "../../src/scheduler/resources/claim.ts";
import { Capacity, type ResourceDemand } from "../../src/scheduler/resources/resource.ts";
import { SchedulerRecord } from "../../src/scheduler/scheduler-record.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import type { SchedulerPorts } from "../../src/scheduler/scheduler-ports.ts";
import type { Strategy } from "../../src/scheduler/strategy.ts";

const START_MS = 1_763_000_000_000;

export function claimDemands(...amounts: readonly ResourceDemand[]): Claim {
  return new Claim(0, new Requirement(amounts));
}

export function capacities(): { readonly db: Capacity; readonly disk: Capacity } {
  return { db: new Capacity("db", "declared"), disk: new Capacity("disk", "declared") };
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
  readonly #records = new Map<string, SchedulerRecord<string>>();

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

  /** The scheduler record of an execution; the first call sets its limit and priority. */
  record(owner: string, limit?: number, priority?: number): SchedulerRecord<string> {
    let record = this.#records.get(owner);
    if (record === undefined) this.#records.set(owner, (record = new SchedulerRecord(owner, limit, priority)));
    return record;
  }

  /** `a1` is step 1 of execution `a`. */
  request(name: string, claim: Claim = SLOT_ONLY): void {
    const [record, step] = this.#parse(name);
    this.scheduler.request(record, step, claim);
  }

  release(name: string, attemptToken?: object): void {
    const [record, step] = this.#parse(name);
    this.scheduler.release(record, step, attemptToken);
  }

  withdraw(name: string): void {
    const [record, step] = this.#parse(name);
    this.scheduler.withdraw(record, step);
  }

  end(name: string, result: "succeeded" | "failing" | "other"): void {
    const [record, step] = this.#parse(name);
    this.scheduler.reportToBreaker(record, step, result);
    this.scheduler.release(record, step);
  }

  why(name: string): ReturnType<Scheduler<string>["why"]> {
    const [record, step] = this.#parse(name);
    return this.scheduler.why(record, step);
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

  #parse(name: string): readonly [SchedulerRecord<string>, number] {
    return [this.record(name.replace(/\d+$/u, "")), Number(/\d+$/u.exec(name)![0])];
  }
}
