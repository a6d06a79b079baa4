// The cost of scheduling with many waiting steps (SCHED-6). Benchmarks measure time; these tests count how often a call
// reads an execution or the usage of a resource.

import { describe, expect, it } from "vitest";
import { Claim, Requirement, NO_REQUIREMENT, SLOT_ONLY } from "../../src/scheduler/resources/claim.ts";
import { Capacity } from "../../src/scheduler/resources/resource.ts";
import { SchedulerRecord } from "../../src/scheduler/scheduler-record.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";

interface Held {
  readonly record: SchedulerRecord<number>;
  readonly step: number;
}

/** Executions that count how often they are read. */
class ManyExecutions {
  readonly records: readonly SchedulerRecord<number>[];
  readonly scheduler: Scheduler<number>;
  readonly running: Held[] = [];
  #reads = 0;
  #totalReads = 0;
  #nowMs = 1_763_000_000_000;

  constructor(executions: number, slots: number, limit?: number) {
    this.records = Array.from({ length: executions }, (_, owner) =>
      this.#countingReads(new SchedulerRecord(owner, limit)),
    );
    this.scheduler = new Scheduler(
      { slots, perAgent: 3 },
      {
        grant: (owner, step) => void this.running.push({ record: this.records[owner]!, step }),
        clock: { monotonic: () => this.#nowMs, now: () => this.#nowMs },
        requestWake: () => undefined,
        report: () => undefined,
        dependantCount: () => 0,
        stepName: () => ({ execution: "", workflow: "", step: "" }),
        executionId: () => "",
      },
    );
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    this.scheduler.wake();
  }

  /** Releases the longest-running steps, this many times; returns the total number of reads. */
  countReads(releases: number): number {
    this.#totalReads = 0;
    this.maxReads(releases);
    return this.#totalReads;
  }

  /** The same; returns the highest number of reads of one release. */
  maxReads(releases: number): number {
    let max = 0;
    for (let count = 0; count < releases; count++) {
      const { record, step } = this.running.shift()!;
      this.#reads = 0;
      this.#nowMs += 1;
      this.scheduler.release(record, step);
      max = Math.max(max, this.#reads);
      this.#totalReads += this.#reads;
    }
    return max;
  }

  /** A resource that counts how often it is read. */
  resource(name: string): Capacity {
    const resource = new Capacity(name, "declared");
    const { meter } = resource;
    const usedAt = meter.usedAt.bind(meter);
    meter.usedAt = (nowMs) => {
      this.#reads++;
      return usedAt(nowMs);
    };
    return resource;
  }

  #countingReads(record: SchedulerRecord<number>): SchedulerRecord<number> {
    let value = record.ageingSinceMs;
    return Object.defineProperty(record, "ageingSinceMs", {
      get: () => {
        this.#reads++;
        return value;
      },
      set: (next: number) => {
        value = next;
      },
    });
  }
}

const READS_MAX = 30;

describe("a release reads a handful of executions", () => {
  it("SCHED-6 with 100,000 steps of 10,000 executions waiting for slots", () => {
    const crowd = new ManyExecutions(10_000, 10);
    for (let step = 0; step < 10; step++)
      for (const record of crowd.records) crowd.scheduler.request(record, step, SLOT_ONLY);
    expect(crowd.scheduler.waitingCount).toBe(99_990);
    expect(crowd.maxReads(20_000)).toBeLessThan(READS_MAX);
  });

  it("SCHED-6 SCHED-3 with half of them blocked by a resource, in 1,000 different ways", () => {
    const crowd = new ManyExecutions(1000, 10);
    const db = crowd.resource("db");
    crowd.scheduler.request(crowd.records[0]!, 999, new Claim(0, new Requirement([db.toDemand(1, 1)])));
    crowd.running.length = 0;
    for (const record of crowd.records) {
      const amount = 1 + (record.execution % 7);
      const blocked = new Claim(1, new Requirement([db.toDemand(amount, amount)]));
      for (let step = 0; step < 50; step++) crowd.scheduler.request(record, step, blocked);
      for (let step = 50; step < 100; step++) crowd.scheduler.request(record, step, SLOT_ONLY);
    }
    expect(crowd.scheduler.waitingCount).toBe(99_991);
    expect(crowd.maxReads(20_000)).toBeLessThan(READS_MAX);
    crowd.advance(60_000);
    expect(crowd.maxReads(20_000)).toBeLessThan(READS_MAX);
  });

  it("SCHED-6 with one execution of 100,000 steps and 1,000 priorities", () => {
    const crowd = new ManyExecutions(1, 10);
    const claims = Array.from({ length: 1000 }, (_, priority) => new Claim(priority, NO_REQUIREMENT));
    for (let step = 0; step < 100_000; step++)
      crowd.scheduler.request(crowd.records[0]!, step, claims[(step * 7919) % 1000]!);
    expect(crowd.maxReads(20_000)).toBeLessThan(READS_MAX);
  });

  it("SCHED-6 with executions at their own limits", () => {
    const crowd = new ManyExecutions(1000, 600, 1);
    for (let step = 0; step < 100; step++)
      for (const record of crowd.records) crowd.scheduler.request(record, step, SLOT_ONLY);
    expect(crowd.running).toHaveLength(600);
    expect(crowd.maxReads(20_000)).toBeLessThan(READS_MAX);
  });
});

describe("the memory kept for waiting steps", () => {
  it("SCHED-6 is small when no step of an execution waits any more", () => {
    const crowd = new ManyExecutions(1, 1);
    const record = crowd.records[0]!;
    for (let step = 0; step < 1000; step++) crowd.scheduler.request(record, step, new Claim(step, NO_REQUIREMENT));
    expect(record.waitSet!.queues.length).toBeGreaterThan(900);
    crowd.maxReads(999);
    expect(record.waitSet!.queues.length).toBeLessThan(20);
    crowd.scheduler.withdrawAll(record);
    expect(record.waitSet).toBeUndefined();
  });
});

describe("a release of a resource that 1,000 executions wait for reads a handful of them", () => {
  it("SCHED-6 when all require the same", () => {
    const crowd = new ManyExecutions(1000, 10);
    const claim = new Claim(0, new Requirement([crowd.resource("lock").toDemand(1, 1)]));
    for (const record of crowd.records) crowd.scheduler.request(record, 0, claim);
    expect(crowd.maxReads(200)).toBeLessThan(READS_MAX);
    crowd.advance(60_000);
    expect(crowd.maxReads(799)).toBeLessThan(READS_MAX);
    expect(crowd.scheduler.waitingCount).toBe(0);
  });

  it("SCHED-6 when each requires something else in addition", () => {
    const crowd = new ManyExecutions(1000, 10);
    const lock = crowd.resource("lock");
    for (const record of crowd.records) {
      const own = crowd.resource(`own${record.execution}`);
      crowd.scheduler.request(record, 0, new Claim(0, new Requirement([own.toDemand(1, 1), lock.toDemand(1, 1)])));
    }
    expect(crowd.maxReads(200)).toBeLessThan(READS_MAX);
    crowd.advance(60_000);
    expect(crowd.maxReads(799)).toBeLessThan(READS_MAX);
    expect(crowd.scheduler.waitingCount).toBe(0);
  });

  it("SCHED-6 when all require a second resource that is in use", () => {
    const crowd = new ManyExecutions(1001, 10);
    const [one, two] = [crowd.resource("one"), crowd.resource("two")];
    const both = new Claim(0, new Requirement([one.toDemand(1, 1), two.toDemand(1, 1)]));
    const single = new Claim(0, new Requirement([one.toDemand(1, 1)]));
    const other = crowd.records[1000]!;
    crowd.scheduler.request(other, 500, new Claim(0, new Requirement([two.toDemand(1, 1)])));
    crowd.running.length = 0;
    for (let step = 0; step < 100; step++) crowd.scheduler.request(other, step, single);
    for (const record of crowd.records.slice(0, 1000)) crowd.scheduler.request(record, 0, both);
    expect(crowd.maxReads(99)).toBeLessThan(READS_MAX);
    expect(crowd.scheduler.waitingCount).toBe(1000);
  });

  it("SCHED-6 when one at a time fits, each has waited long, and their executions are served through other groups", () => {
    const crowd = new ManyExecutions(1000, 10);
    const db = crowd.resource("db");
    for (const record of crowd.records) {
      const large = new Claim(1, new Requirement([db.toDemand(996 + (record.execution % 4), 1000)]));
      for (let step = 0; step < 5; step++) crowd.scheduler.request(record, step, large);
      for (let step = 5; step < 20; step++) crowd.scheduler.request(record, step, SLOT_ONLY);
    }
    for (const waitedMs of [0, 60_000, 60_000, 60_000]) {
      crowd.advance(waitedMs);
      expect(crowd.countReads(4000) / 4000).toBeLessThan(6);
    }
  });
});
