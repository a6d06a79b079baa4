// What is looked at when many wait (SCHED-6). Time is for the benchmarks; here it is counted how often a call looks at an
// execution, or at what is left of a resource.

import { describe, expect, it } from "vitest";
import { Claim, Requirement, NO_REQUIREMENT, SLOT_ONLY } from "../../src/scheduler/resources/claim.ts";
import { Capacity } from "../../src/scheduler/resources/resource.ts";
import { SchedulingEntry } from "../../src/scheduler/scheduling-entry.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";

interface Held {
  readonly account: SchedulingEntry<number>;
  readonly step: number;
}

/** Executions that know when somebody looks at them. */
class Crowd {
  readonly accounts: readonly SchedulingEntry<number>[];
  readonly scheduler: Scheduler<number>;
  readonly running: Held[] = [];
  #looks = 0;
  #all = 0;
  #nowMs = 1_763_000_000_000;

  constructor(executions: number, slots: number, limit?: number) {
    this.accounts = Array.from({ length: executions }, (_, owner) => this.#watched(new SchedulingEntry(owner, limit)));
    this.scheduler = new Scheduler(
      { slots, perAgent: 3 },
      {
        grant: (owner, step) => void this.running.push({ account: this.accounts[owner]!, step }),
        clock: { monotonic: () => this.#nowMs, now: () => this.#nowMs },
        wakeAt: () => undefined,
        report: () => undefined,
        weight: () => 0,
        stepName: () => ({ execution: "", workflow: "", step: "" }),
      },
    );
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    this.scheduler.wake();
  }

  /** Ends what has run longest, so many times; gives back how often it was looked at in all. */
  looks(releases: number): number {
    this.#all = 0;
    this.mostLooks(releases);
    return this.#all;
  }

  /** The same; gives back the most that one of them looked. */
  mostLooks(releases: number): number {
    let most = 0;
    for (let count = 0; count < releases; count++) {
      const { account, step } = this.running.shift()!;
      this.#looks = 0;
      this.#nowMs += 1;
      this.scheduler.release(account, step);
      most = Math.max(most, this.#looks);
      this.#all += this.#looks;
    }
    return most;
  }

  /** A resource that knows it too. */
  resource(name: string): Capacity {
    const resource = new Capacity(name, "resource");
    const { meter } = resource;
    const usedAt = meter.usedAt.bind(meter);
    meter.usedAt = (nowMs) => {
      this.#looks++;
      return usedAt(nowMs);
    };
    return resource;
  }

  #watched(account: SchedulingEntry<number>): SchedulingEntry<number> {
    let value = account.lastServedMs;
    return Object.defineProperty(account, "lastServedMs", {
      get: () => {
        this.#looks++;
        return value;
      },
      set: (next: number) => {
        value = next;
      },
    });
  }
}

const LOOKS_MAX = 30;

describe("a release looks at a handful of executions", () => {
  it("SCHED-6 with 100,000 steps of 10,000 executions waiting for slots", () => {
    const crowd = new Crowd(10_000, 10);
    for (let step = 0; step < 10; step++)
      for (const account of crowd.accounts) crowd.scheduler.request(account, step, SLOT_ONLY);
    expect(crowd.scheduler.waiting).toBe(99_990);
    expect(crowd.mostLooks(20_000)).toBeLessThan(LOOKS_MAX);
  });

  it("SCHED-6 SCHED-3 with half of them held up by a resource, in 1,000 different ways", () => {
    const crowd = new Crowd(1000, 10);
    const db = crowd.resource("db");
    crowd.scheduler.request(crowd.accounts[0]!, 999, new Claim(0, new Requirement([db.toAmount(1, 1)])));
    crowd.running.length = 0;
    for (const account of crowd.accounts) {
      const amount = 1 + (account.owner % 7);
      const blocked = new Claim(1, new Requirement([db.toAmount(amount, amount)]));
      for (let step = 0; step < 50; step++) crowd.scheduler.request(account, step, blocked);
      for (let step = 50; step < 100; step++) crowd.scheduler.request(account, step, SLOT_ONLY);
    }
    expect(crowd.scheduler.waiting).toBe(99_991);
    expect(crowd.mostLooks(20_000)).toBeLessThan(LOOKS_MAX);
    crowd.advance(60_000);
    expect(crowd.mostLooks(20_000)).toBeLessThan(LOOKS_MAX);
  });

  it("SCHED-6 with one execution of 100,000 steps and 1,000 priorities", () => {
    const crowd = new Crowd(1, 10);
    const claims = Array.from({ length: 1000 }, (_, priority) => new Claim(priority, NO_REQUIREMENT));
    for (let step = 0; step < 100_000; step++)
      crowd.scheduler.request(crowd.accounts[0]!, step, claims[(step * 7919) % 1000]!);
    expect(crowd.mostLooks(20_000)).toBeLessThan(LOOKS_MAX);
  });

  it("SCHED-6 with executions at their own limits", () => {
    const crowd = new Crowd(1000, 600, 1);
    for (let step = 0; step < 100; step++)
      for (const account of crowd.accounts) crowd.scheduler.request(account, step, SLOT_ONLY);
    expect(crowd.running).toHaveLength(600);
    expect(crowd.mostLooks(20_000)).toBeLessThan(LOOKS_MAX);
  });
});

describe("what is kept of those who waited", () => {
  it("SCHED-6 is little when nobody of an execution waits any more", () => {
    const crowd = new Crowd(1, 1);
    const account = crowd.accounts[0]!;
    for (let step = 0; step < 1000; step++) crowd.scheduler.request(account, step, new Claim(step, NO_REQUIREMENT));
    expect(account.waiting!.queues.length).toBeGreaterThan(900);
    crowd.mostLooks(999);
    expect(account.waiting!.queues.length).toBeLessThan(20);
    crowd.scheduler.withdrawAll(account);
    expect(account.waiting).toBeUndefined();
  });
});

describe("a release of a resource that 1,000 executions wait for looks at a handful of them", () => {
  it("SCHED-6 when they all need the same", () => {
    const crowd = new Crowd(1000, 10);
    const claim = new Claim(0, new Requirement([crowd.resource("lock").toAmount(1, 1)]));
    for (const account of crowd.accounts) crowd.scheduler.request(account, 0, claim);
    expect(crowd.mostLooks(200)).toBeLessThan(LOOKS_MAX);
    crowd.advance(60_000);
    expect(crowd.mostLooks(799)).toBeLessThan(LOOKS_MAX);
    expect(crowd.scheduler.waiting).toBe(0);
  });

  it("SCHED-6 when each needs something else besides", () => {
    const crowd = new Crowd(1000, 10);
    const lock = crowd.resource("lock");
    for (const account of crowd.accounts) {
      const own = crowd.resource(`own${account.owner}`);
      crowd.scheduler.request(account, 0, new Claim(0, new Requirement([own.toAmount(1, 1), lock.toAmount(1, 1)])));
    }
    expect(crowd.mostLooks(200)).toBeLessThan(LOOKS_MAX);
    crowd.advance(60_000);
    expect(crowd.mostLooks(799)).toBeLessThan(LOOKS_MAX);
    expect(crowd.scheduler.waiting).toBe(0);
  });

  it("SCHED-6 when they all need a second one that somebody has", () => {
    const crowd = new Crowd(1001, 10);
    const [one, two] = [crowd.resource("one"), crowd.resource("two")];
    const both = new Claim(0, new Requirement([one.toAmount(1, 1), two.toAmount(1, 1)]));
    const single = new Claim(0, new Requirement([one.toAmount(1, 1)]));
    const other = crowd.accounts[1000]!;
    crowd.scheduler.request(other, 500, new Claim(0, new Requirement([two.toAmount(1, 1)])));
    crowd.running.length = 0;
    for (let step = 0; step < 100; step++) crowd.scheduler.request(other, step, single);
    for (const account of crowd.accounts.slice(0, 1000)) crowd.scheduler.request(account, 0, both);
    expect(crowd.mostLooks(99)).toBeLessThan(LOOKS_MAX);
    expect(crowd.scheduler.waiting).toBe(1000);
  });

  it("SCHED-6 when one at a time fits, each has waited long, and their executions are served otherwise meanwhile", () => {
    const crowd = new Crowd(1000, 10);
    const db = crowd.resource("db");
    for (const account of crowd.accounts) {
      const large = new Claim(1, new Requirement([db.toAmount(996 + (account.owner % 4), 1000)]));
      for (let step = 0; step < 5; step++) crowd.scheduler.request(account, step, large);
      for (let step = 5; step < 20; step++) crowd.scheduler.request(account, step, SLOT_ONLY);
    }
    for (const waitedMs of [0, 60_000, 60_000, 60_000]) {
      crowd.advance(waitedMs);
      expect(crowd.looks(4000) / 4000).toBeLessThan(6);
    }
  });
});
