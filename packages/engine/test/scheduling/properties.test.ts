// Random operations on the scheduler, checked against a simple model.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Claim, Requirement, SLOT_ONLY } from "../../src/scheduler/resources/claim.ts";
import { Capacity, Quota, type Resource, type ResourceDemand } from "../../src/scheduler/resources/resource.ts";
import { SchedulerRecord } from "../../src/scheduler/scheduler-record.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { Breaker } from "../../src/scheduler/resources/breaker.ts";
import type { StrategyName } from "../../src/scheduler/strategy.ts";

interface Setup {
  readonly slots: number;
  readonly strategy: StrategyName;
  readonly limits: readonly (number | undefined)[];
  readonly requirements: readonly RequirementShape[];
}

interface RequirementShape {
  readonly priority: number;
  /** Per resource: the amount, and how far the bound is below the common one. */
  readonly amounts: readonly number[];
  readonly strictness: number;
  readonly hasBreaker: boolean;
}

type Operation =
  | { readonly kind: "request"; readonly execution: number; readonly step: number; readonly requirement: number }
  | { readonly kind: "release"; readonly nth: number; readonly result: "succeeded" | "failing" | "other" | "none" }
  | { readonly kind: "abandon"; readonly nth: number }
  | { readonly kind: "exit"; readonly nth: number }
  | { readonly kind: "withdraw"; readonly nth: number }
  | { readonly kind: "withdraw all"; readonly execution: number }
  | { readonly kind: "forget"; readonly execution: number }
  | { readonly kind: "wait"; readonly ms: number };

const EXECUTIONS = 4;
const STEPS = 6;
const BOUNDS = [1, 4, 3, 6];
const PER_MS = 5000;
const STARVATION_MS = 10_000;

const shapes: fc.Arbitrary<RequirementShape> = fc.record({
  priority: fc.integer({ min: -1, max: 2 }),
  amounts: fc.tuple(...BOUNDS.map((bound) => fc.integer({ min: 0, max: bound }))),
  strictness: fc.integer({ min: 0, max: 1 }),
  hasBreaker: fc.boolean(),
});

const setups: fc.Arbitrary<Setup> = fc.record({
  slots: fc.integer({ min: 1, max: 5 }),
  strategy: fc.constantFrom<StrategyName>("fifo", "priority", "parallel", "sequential", "hybrid"),
  limits: fc.array(fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }), {
    minLength: EXECUTIONS,
    maxLength: EXECUTIONS,
  }),
  requirements: fc.array(shapes, { minLength: 1, maxLength: 5 }),
});

const nth = fc.nat(20);
const execution = fc.nat(EXECUTIONS - 1);
const operations: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      kind: fc.constant("request" as const),
      execution,
      step: fc.nat(STEPS - 1),
      requirement: fc.nat(5),
    }),
  },
  {
    weight: 15,
    arbitrary: fc.record({
      kind: fc.constant("release" as const),
      nth,
      result: fc.constantFrom("succeeded" as const, "failing" as const, "other" as const, "none" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("abandon" as const), nth }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("exit" as const), nth }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), nth }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("withdraw all" as const), execution }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), execution }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(12_000) }) },
);

interface Held {
  readonly record: SchedulerRecord<number>;
  readonly step: number;
  readonly claim: Claim;
}

/** The scheduler with a model of its requests and grants. */
class SchedulerModel {
  nowMs = 1_000_000;
  wakeAtMs: number | undefined;
  readonly #slots: number;
  readonly #concurrency: number;
  readonly records: readonly SchedulerRecord<number>[];
  readonly claims: readonly Claim[];
  readonly resources: readonly Resource[];
  readonly scheduler: Scheduler<number>;
  readonly waiting = new Map<string, Held>();
  readonly held = new Map<string, Held>();
  readonly abandoned: Held[] = [];
  readonly #used: { readonly resource: Resource; readonly atMs: number; readonly amount: number }[] = [];

  constructor({ slots, strategy, limits, requirements }: Setup) {
    this.#slots = slots;
    this.#concurrency = strategy === "sequential" ? 1 : Number.POSITIVE_INFINITY;
    this.records = limits.map((limit, owner) => new SchedulerRecord(owner, limit, owner % 2));
    const capacities = BOUNDS.slice(0, 3).map((_, index) => new Capacity(`c${index}`, "declared"));
    const quota = new Quota("q", "declared");
    this.resources = [...capacities, quota];
    const breaker = new Breaker("b", "b", 2, 7000);
    this.claims = requirements.map(({ priority, amounts, strictness, hasBreaker }) => {
      const claimed = amounts.flatMap((amount, index) => {
        const bound = Math.max(amount, BOUNDS[index]! - strictness);
        if (amount === 0) return [];
        return [index < 3 ? capacities[index]!.toDemand(amount, bound) : quota.toDemand(amount, bound, PER_MS)];
      });
      return claimed.length === 0 && !hasBreaker
        ? SLOT_ONLY
        : new Claim(priority, new Requirement(claimed, hasBreaker ? breaker : undefined));
    });
    this.scheduler = new Scheduler<number>(
      { slots, perAgent: 9 },
      {
        grant: (owner, step) => this.#granted(this.records[owner]!, step),
        clock: { monotonic: () => this.nowMs, now: () => this.nowMs },
        requestWake: (atMs) => {
          this.wakeAtMs = atMs;
        },
        report: (error) => {
          throw error;
        },
        dependantCount: (_, step) => step % 3,
        stepName: () => ({ execution: "", workflow: "", step: "" }),
        executionId: () => "",
      },
      strategy,
    );
  }

  apply(operation: Operation): void {
    switch (operation.kind) {
      case "request":
        return this.request(
          this.records[operation.execution]!,
          operation.step,
          this.claims[operation.requirement % this.claims.length]!,
        );
      case "release":
        return this.#withHeld(operation.nth, (held) => this.release(held, operation.result));
      case "abandon":
        return this.#withHeld(operation.nth, (held) => {
          this.#drop(held);
          this.abandoned.push(held);
          this.scheduler.release(held.record, held.step, held);
        });
      case "exit": {
        const [token] = this.abandoned.splice(operation.nth % Math.max(1, this.abandoned.length), 1);
        return token === undefined ? undefined : this.scheduler.onExited(token);
      }
      case "withdraw": {
        const selected = [...this.waiting.values()][operation.nth % Math.max(1, this.waiting.size)];
        if (selected === undefined) return;
        this.waiting.delete(toKey(selected));
        return this.scheduler.withdraw(selected.record, selected.step);
      }
      case "withdraw all":
        return this.withdrawAll(this.records[operation.execution]!);
      case "forget":
        return this.#forget(this.records[operation.execution]!);
      case "wait":
        return this.advance(operation.ms);
    }
  }

  request(record: SchedulerRecord<number>, step: number, claim: Claim): void {
    const request = { record, step, claim };
    if (!this.held.has(toKey(request)) && !this.waiting.has(toKey(request))) this.waiting.set(toKey(request), request);
    this.scheduler.request(record, step, claim);
  }

  release(held: Held, result: "succeeded" | "failing" | "other" | "none"): void {
    if (result !== "none") this.scheduler.reportToBreaker(held.record, held.step, result);
    this.#drop(held);
    this.scheduler.release(held.record, held.step);
  }

  withdrawAll(record: SchedulerRecord<number>): void {
    for (const [key, each] of this.waiting) if (each.record === record) this.waiting.delete(key);
    this.scheduler.withdrawAll(record);
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    while (this.wakeAtMs !== undefined && this.wakeAtMs <= endMs) {
      this.nowMs = Math.max(this.nowMs, this.wakeAtMs);
      this.wakeAtMs = undefined;
      this.scheduler.wake();
      this.check();
    }
    this.nowMs = endMs;
  }

  /** Releases the current holders, not those that are granted meanwhile. */
  #releaseAll(): void {
    const all = [...this.held.values()];
    for (const held of all) this.release(held, "succeeded");
    this.check();
  }

  #forget(record: SchedulerRecord<number>): void {
    for (const each of this.held.values()) if (each.record === record) this.#drop(each);
    for (const [key, each] of this.waiting) if (each.record === record) this.waiting.delete(key);
    this.scheduler.forget(record);
  }

  #withHeld(index: number, work: (held: Held) => void): void {
    const selected = [...this.held.values()][index % Math.max(1, this.held.size)];
    if (selected !== undefined) work(selected);
  }

  #drop(held: Held): void {
    this.held.delete(toKey(held));
  }

  #granted(record: SchedulerRecord<number>, step: number): void {
    const key = `${record.execution}/${step}`;
    const request = this.waiting.get(key);
    assert(request !== undefined, `${key} was granted and did not wait`);
    assert(!this.held.has(key), `${key} is held twice`);
    this.waiting.delete(key);
    this.held.set(key, request);
    assert(this.held.size <= this.#slots, "more slots than there are");
    assert(this.#heldBy(record) <= this.#concurrencyLimit(record), "more of an execution than it may run");
    for (const claimed of request.claim.requirement.demands) {
      if (claimed.resource.kind === "quota")
        this.#used.push({ resource: claimed.resource, atMs: this.nowMs, amount: claimed.amount });
      assert(this.#inUse(claimed) <= claimed.bound, `more of ${claimed.resource.name} than its bound`);
    }
  }

  #heldBy(record: SchedulerRecord<number>): number {
    return [...this.held.values()].filter((each) => each.record === record).length;
  }

  #concurrencyLimit(record: SchedulerRecord<number>): number {
    return Math.min(record.limit, this.#concurrency);
  }

  #inUse({ resource }: ResourceDemand): number {
    if (resource.kind === "quota")
      return sum(this.#used.filter(({ atMs }) => atMs + PER_MS > this.nowMs).map(({ amount }) => amount));
    return sum([...this.held.values(), ...this.abandoned].map(({ claim }) => findAmount(claim, resource)));
  }

  /** The invariants between any two calls. */
  check(): void {
    assert(this.scheduler.usedSlots === this.held.size, "slots that nobody has");
    assert(this.scheduler.waitingCount === this.waiting.size, "somebody was lost");
    for (const each of this.resources) {
      const reservation = this.scheduler.reservations.current(each);
      if (reservation === undefined) continue;
      const all = reservation.queue.requirement.demands.map(
        ({ resource }) => this.scheduler.reservations.current(resource)?.queue,
      );
      assert(
        all.every((queue) => queue === reservation.queue),
        "a reservation of some, not of all",
      );
    }
    for (const each of this.waiting.values()) {
      assert(!this.couldRun(each), `${toKey(each)} waits although it could run`);
      assert(this.scheduler.why(each.record, each.step).length > 0, `${toKey(each)} waits for no reason`);
    }
    assert(this.waiting.size > 0 || this.wakeAtMs === undefined, "woken for nobody");
  }

  /** G4 without any of the scheduler's data structures. */
  couldRun({ record, claim: { requirement } }: Held): boolean {
    if (this.held.size >= this.#slots || this.#heldBy(record) >= this.#concurrencyLimit(record)) return false;
    if (requirement.breaker !== undefined && !requirement.breaker.canPass(this.nowMs)) return false;
    if (this.wakeAtMs !== undefined && this.wakeAtMs <= this.nowMs) return false;
    return requirement.demands.every((claimed) => {
      if (this.#inUse(claimed) + claimed.amount > claimed.bound) return false;
      const reservation = this.scheduler.reservations.current(claimed.resource);
      if (reservation === undefined || reservation.queue.requirement === requirement) return true;
      return this.#inUse(reservation.demand) + reservation.demand.amount + claimed.amount <= reservation.demand.bound;
    });
  }

  /** Releases all holders repeatedly while time passes, until every waiting step was granted. */
  finish(): void {
    for (const token of this.abandoned.splice(0)) this.scheduler.onExited(token);
    for (let round = 0; this.waiting.size > 0; round++) {
      assert(round < 200, `${[...this.waiting.keys()].join()} wait for ever`);
      this.#releaseAll();
      this.advance(STARVATION_MS / 4);
      this.check();
    }
    this.#releaseAll();
    this.advance(PER_MS);
    for (const resource of this.resources) {
      const { reservations } = this.scheduler;
      expect(reservations.current(resource)).toBeUndefined();
      expect([reservations.count(resource), resource.reservationGroups.size]).toEqual([0, 0]);
      for (const meter of resource.meters) {
        expect(meter.usedAt(this.nowMs)).toBe(0);
        expect([meter.heldByLingering, meter.obstacleGroups.size]).toEqual([0, 0]);
      }
    }
    expect([this.scheduler.usedSlots, this.scheduler.waitingCount, this.wakeAtMs]).toEqual([0, 0, undefined]);
  }
}

function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

function toKey({ record, step }: Held): string {
  return `${record.execution}/${step}`;
}

function findAmount({ requirement }: Claim, resource: Resource): number {
  return requirement.demands.find((claimed) => claimed.resource === resource)?.amount ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}

it("SCHED-3 SCHED-4 for all requests, releases and withdrawals: bounds hold, no request is lost, every step that can run does", () => {
  fc.assert(
    fc.property(setups, fc.array(operations, { minLength: 5, maxLength: 80 }), (setup, all) => {
      const model = new SchedulerModel(setup);
      for (const operation of all) {
        model.apply(operation);
        model.check();
      }
      model.finish();
    }),
    { numRuns: 1000 },
  );
});
