// Everything at once, against a book too plain to be wrong.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Claim, Requirement, SLOT_ONLY } from "../../src/scheduler/resources/claim.ts";
import { Capacity, Quota, type Resource, type ResourceAmount } from "../../src/scheduler/resources/resource.ts";
import { SchedulingEntry } from "../../src/scheduler/scheduling-entry.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { Breaker } from "../../src/scheduler/resources/breaker.ts";
import type { StrategyName } from "../../src/scheduler/strategy.ts";

interface World {
  readonly slots: number;
  readonly strategy: StrategyName;
  readonly limits: readonly (number | undefined)[];
  readonly needs: readonly NeedShape[];
}

interface NeedShape {
  readonly priority: number;
  /** By resource: how much is taken, and how far below the bound that everybody has. */
  readonly amounts: readonly number[];
  readonly strictness: number;
  readonly hasBreaker: boolean;
}

type Act =
  | { readonly kind: "request"; readonly execution: number; readonly step: number; readonly need: number }
  | { readonly kind: "release"; readonly nth: number; readonly result: "succeeded" | "failing" | "other" | "none" }
  | { readonly kind: "give up"; readonly nth: number }
  | { readonly kind: "settle"; readonly nth: number }
  | { readonly kind: "withdraw"; readonly nth: number }
  | { readonly kind: "withdraw all"; readonly execution: number }
  | { readonly kind: "forget"; readonly execution: number }
  | { readonly kind: "wait"; readonly ms: number };

const EXECUTIONS = 4;
const STEPS = 6;
const BOUNDS = [1, 4, 3, 6];
const PER_MS = 5000;
const PATIENCE_MS = 10_000;

const shapes: fc.Arbitrary<NeedShape> = fc.record({
  priority: fc.integer({ min: -1, max: 2 }),
  amounts: fc.tuple(...BOUNDS.map((bound) => fc.integer({ min: 0, max: bound }))),
  strictness: fc.integer({ min: 0, max: 1 }),
  hasBreaker: fc.boolean(),
});

const worlds: fc.Arbitrary<World> = fc.record({
  slots: fc.integer({ min: 1, max: 5 }),
  strategy: fc.constantFrom<StrategyName>("fifo", "priority", "parallel", "sequential", "hybrid"),
  limits: fc.array(fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }), {
    minLength: EXECUTIONS,
    maxLength: EXECUTIONS,
  }),
  needs: fc.array(shapes, { minLength: 1, maxLength: 5 }),
});

const nth = fc.nat(20);
const execution = fc.nat(EXECUTIONS - 1);
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      kind: fc.constant("request" as const),
      execution,
      step: fc.nat(STEPS - 1),
      need: fc.nat(5),
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
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("give up" as const), nth }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("settle" as const), nth }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("withdraw" as const), nth }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("withdraw all" as const), execution }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), execution }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(12_000) }) },
);

interface Held {
  readonly account: SchedulingEntry<number>;
  readonly step: number;
  readonly claim: Claim;
}

/** The scheduler, and a book of everything that it was asked for and did. */
class Book {
  nowMs = 1_000_000;
  wakeAtMs: number | undefined;
  readonly #slots: number;
  readonly #atOnce: number;
  readonly accounts: readonly SchedulingEntry<number>[];
  readonly claims: readonly Claim[];
  readonly resources: readonly Resource[];
  readonly scheduler: Scheduler<number>;
  readonly waiting = new Map<string, Held>();
  readonly held = new Map<string, Held>();
  readonly givenUp: Held[] = [];
  readonly #used: { readonly resource: Resource; readonly atMs: number; readonly amount: number }[] = [];

  constructor({ slots, strategy, limits, needs }: World) {
    this.#slots = slots;
    this.#atOnce = strategy === "sequential" ? 1 : Number.POSITIVE_INFINITY;
    this.accounts = limits.map((limit, owner) => new SchedulingEntry(owner, limit, owner % 2));
    const capacities = BOUNDS.slice(0, 3).map((_, index) => new Capacity(`c${index}`, "resource"));
    const quota = new Quota("q", "resource");
    this.resources = [...capacities, quota];
    const breaker = new Breaker("b", "b", 2, 7000);
    this.claims = needs.map(({ priority, amounts, strictness, hasBreaker }) => {
      const takes = amounts.flatMap((amount, index) => {
        const bound = Math.max(amount, BOUNDS[index]! - strictness);
        if (amount === 0) return [];
        return [index < 3 ? capacities[index]!.toAmount(amount, bound) : quota.toAmount(amount, bound, PER_MS)];
      });
      return takes.length === 0 && !hasBreaker
        ? SLOT_ONLY
        : new Claim(priority, new Requirement(takes, hasBreaker ? breaker : undefined));
    });
    this.scheduler = new Scheduler<number>(
      { slots, perAgent: 9 },
      {
        grant: (owner, step) => this.#granted(this.accounts[owner]!, step),
        clock: { monotonic: () => this.nowMs, now: () => this.nowMs },
        wakeAt: (atMs) => {
          this.wakeAtMs = atMs;
        },
        report: (error) => {
          throw error;
        },
        weight: (_, step) => step % 3,
        stepName: () => ({ execution: "", workflow: "", step: "" }),
      },
      strategy,
    );
  }

  do(act: Act): void {
    switch (act.kind) {
      case "request":
        return this.request(this.accounts[act.execution]!, act.step, this.claims[act.need % this.claims.length]!);
      case "release":
        return this.#withHeld(act.nth, (held) => this.release(held, act.result));
      case "give up":
        return this.#withHeld(act.nth, (held) => {
          this.#drop(held);
          this.givenUp.push(held);
          this.scheduler.release(held.account, held.step, held);
        });
      case "settle": {
        const [token] = this.givenUp.splice(act.nth % Math.max(1, this.givenUp.length), 1);
        return token === undefined ? undefined : this.scheduler.onExited(token);
      }
      case "withdraw": {
        const found = [...this.waiting.values()][act.nth % Math.max(1, this.waiting.size)];
        if (found === undefined) return;
        this.waiting.delete(keyOf(found));
        return this.scheduler.withdraw(found.account, found.step);
      }
      case "withdraw all":
        return this.withdrawAll(this.accounts[act.execution]!);
      case "forget":
        return this.#forget(this.accounts[act.execution]!);
      case "wait":
        return this.advance(act.ms);
    }
  }

  request(account: SchedulingEntry<number>, step: number, claim: Claim): void {
    const asked = { account, step, claim };
    if (!this.held.has(keyOf(asked)) && !this.waiting.has(keyOf(asked))) this.waiting.set(keyOf(asked), asked);
    this.scheduler.request(account, step, claim);
  }

  release(held: Held, result: "succeeded" | "failing" | "other" | "none"): void {
    if (result !== "none") this.scheduler.onEnded(held.account, held.step, result);
    this.#drop(held);
    this.scheduler.release(held.account, held.step);
  }

  withdrawAll(account: SchedulingEntry<number>): void {
    for (const [key, each] of this.waiting) if (each.account === account) this.waiting.delete(key);
    this.scheduler.withdrawAll(account);
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

  /** Those who hold something now, not those who get it then. */
  #releaseAll(): void {
    const all = [...this.held.values()];
    for (const held of all) this.release(held, "succeeded");
    this.check();
  }

  #forget(account: SchedulingEntry<number>): void {
    for (const each of this.held.values()) if (each.account === account) this.#drop(each);
    for (const [key, each] of this.waiting) if (each.account === account) this.waiting.delete(key);
    this.scheduler.forget(account);
  }

  #withHeld(index: number, work: (held: Held) => void): void {
    const found = [...this.held.values()][index % Math.max(1, this.held.size)];
    if (found !== undefined) work(found);
  }

  #drop(held: Held): void {
    this.held.delete(keyOf(held));
  }

  #granted(account: SchedulingEntry<number>, step: number): void {
    const key = `${account.owner}/${step}`;
    const asked = this.waiting.get(key);
    must(asked !== undefined, `${key} was granted and did not wait`);
    must(!this.held.has(key), `${key} is held twice`);
    this.waiting.delete(key);
    this.held.set(key, asked);
    must(this.held.size <= this.#slots, "more slots than there are");
    must(this.#heldBy(account) <= this.#limitOf(account), "more of an execution than it may run");
    for (const take of asked.claim.requirement.amounts) {
      if (take.resource.kind === "quota")
        this.#used.push({ resource: take.resource, atMs: this.nowMs, amount: take.amount });
      must(this.#inUse(take) <= take.bound, `more of ${take.resource.name} than its bound`);
    }
  }

  #heldBy(account: SchedulingEntry<number>): number {
    return [...this.held.values()].filter((each) => each.account === account).length;
  }

  #limitOf(account: SchedulingEntry<number>): number {
    return Math.min(account.limit, this.#atOnce);
  }

  #inUse({ resource }: ResourceAmount): number {
    if (resource.kind === "quota")
      return sum(this.#used.filter(({ atMs }) => atMs + PER_MS > this.nowMs).map(({ amount }) => amount));
    return sum([...this.held.values(), ...this.givenUp].map(({ claim }) => amountOf(claim, resource)));
  }

  /** What must hold between any two calls. */
  check(): void {
    must(this.scheduler.used === this.held.size, "slots that nobody has");
    must(this.scheduler.waiting === this.waiting.size, "somebody was lost");
    for (const each of this.resources) {
      const reservation = this.scheduler.reservations.current(each);
      if (reservation === undefined) continue;
      const all = reservation.queue.requirement.amounts.map(
        ({ resource }) => this.scheduler.reservations.current(resource)?.queue,
      );
      must(
        all.every((queue) => queue === reservation.queue),
        "a reservation of some, not of all",
      );
    }
    for (const each of this.waiting.values()) {
      must(!this.couldRun(each), `${keyOf(each)} waits although it could run`);
      must(this.scheduler.why(each.account, each.step).length > 0, `${keyOf(each)} waits for no reason`);
    }
    must(this.waiting.size > 0 || this.wakeAtMs === undefined, "woken for nobody");
  }

  /** G4, as somebody would say it who knows nothing of gates. */
  couldRun({ account, claim: { requirement } }: Held): boolean {
    if (this.held.size >= this.#slots || this.#heldBy(account) >= this.#limitOf(account)) return false;
    if (requirement.breaker !== undefined && !requirement.breaker.canPass(this.nowMs)) return false;
    if (this.wakeAtMs !== undefined && this.wakeAtMs <= this.nowMs) return false;
    return requirement.amounts.every((take) => {
      if (this.#inUse(take) + take.amount > take.bound) return false;
      const reservation = this.scheduler.reservations.current(take.resource);
      if (reservation === undefined || reservation.queue.requirement === requirement) return true;
      return this.#inUse(reservation.amount) + reservation.amount.amount + take.amount <= reservation.amount.bound;
    });
  }

  /** Whoever holds something ends, again and again, and time passes: everybody gets what it waits for. */
  finish(): void {
    for (const token of this.givenUp.splice(0)) this.scheduler.onExited(token);
    for (let round = 0; this.waiting.size > 0; round++) {
      must(round < 200, `${[...this.waiting.keys()].join()} wait for ever`);
      this.#releaseAll();
      this.advance(PATIENCE_MS / 4);
      this.check();
    }
    this.#releaseAll();
    this.advance(PER_MS);
    for (const resource of this.resources) {
      const { reservations } = this.scheduler;
      expect(reservations.current(resource)).toBeUndefined();
      expect([reservations.requestCount(resource), resource.blockedByReservation.size]).toEqual([0, 0]);
      for (const meter of resource.meters) {
        expect(meter.usedAt(this.nowMs)).toBe(0);
        expect([meter.leaked, meter.blocked.size]).toEqual([0, 0]);
      }
    }
    expect([this.scheduler.used, this.scheduler.waiting, this.wakeAtMs]).toEqual([0, 0, undefined]);
  }
}

function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}

function keyOf({ account, step }: Held): string {
  return `${account.owner}/${step}`;
}

function amountOf({ requirement }: Claim, resource: Resource): number {
  return requirement.amounts.find((take) => take.resource === resource)?.amount ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}

it("SCHED-3 SCHED-4 whatever is asked, released and withdrawn: bounds hold, nothing is lost, whoever could run does", () => {
  fc.assert(
    fc.property(worlds, fc.array(acts, { minLength: 5, maxLength: 80 }), (world, all) => {
      const book = new Book(world);
      for (const act of all) {
        book.do(act);
        book.check();
      }
      book.finish();
    }),
    { numRuns: 1000 },
  );
});
