// Planted bugs of scheduling: limits, priorities, fairness and resources (SCHED-1 to SCHED-4).

import type { Mutant } from "../../../src/testing/mutant.ts";

export const SCHEDULING: readonly Mutant[] = [
  {
    name: "slot not released on a timeout",
    changes: [
      {
        file: "kernel/src/rules/attempt.ts",
        from: `  const { failure } = state.overdue.get(step)!;\n  releaseStopping(state, step, builder);\n`,
        to: `  const { failure } = state.overdue.get(step)!;\n`,
      },
    ],
  },
  {
    name: "slot taken twice for one step",
    changes: [
      {
        file: "engine/src/scheduler/scheduler.ts",
        from: `    schedulerRecord.held.set(step, claim);\n    this.#usedSlots++;`,
        to: `    schedulerRecord.held.set(step, claim);\n    this.#usedSlots += 2;`,
      },
    ],
  },
  {
    name: "what a let-go execution held of a capacity is not given back",
    changes: [
      {
        file: "engine/src/scheduler/scheduler.ts",
        from: `      if (!claim.isSlotOnly) this.#returnResources(schedulerRecord, step, claim, NO_DEMANDS);\n    }\n`,
        to: `    }\n`,
      },
    ],
  },
  {
    name: "there are three slots too many",
    changes: [
      {
        file: "engine/src/scheduler/scheduler.ts",
        from: `    this.#slots = limits.slots;`,
        to: `    this.#slots = limits.slots + 3;`,
      },
    ],
  },
  {
    name: "there is one slot too few",
    changes: [
      {
        file: "engine/src/scheduler/scheduler.ts",
        from: `    this.#slots = limits.slots;`,
        to: `    this.#slots = Math.max(1, limits.slots - 1);`,
      },
    ],
  },
  {
    name: "the limit of an agent is one too high",
    changes: [
      {
        file: "engine/src/scheduler/resources/claim-maker.ts",
        from: `const limits = { concurrency: this.#options.perAgent,`,
        to: `const limits = { concurrency: this.#options.perAgent + 1,`,
      },
    ],
  },
  {
    name: "the concurrency of an execution is not heeded",
    changes: [
      {
        file: "engine/src/turn/live-execution.ts",
        from: `new SchedulerRecord(this, sequential === true ? 1 : concurrency, priority)`,
        to: `new SchedulerRecord(this, sequential === true ? 1 : undefined, priority)`,
      },
    ],
  },
  {
    name: "items of a sequential execution run at once",
    changes: [
      {
        file: "engine/src/turn/live-execution.ts",
        from: `new SchedulerRecord(this, sequential === true ? 1 : concurrency, priority)`,
        to: `new SchedulerRecord(this, concurrency, priority)`,
      },
    ],
  },
  {
    name: "the priority of a step does not count",
    changes: [
      {
        file: "engine/src/scheduler/scheduler-record.ts",
        from: `return claimQueue.key + this.schedulerRecord.priority`,
        to: `return this.schedulerRecord.priority`,
      },
    ],
  },
  {
    name: "the priority of an execution does not count",
    changes: [
      {
        file: "engine/src/scheduler/scheduler-record.ts",
        from: `claimQueue.key + this.schedulerRecord.priority * AGEING_MS - this`,
        to: `claimQueue.key - this`,
      },
    ],
  },
  {
    name: "an execution does not gain by waiting",
    changes: [
      {
        file: "engine/src/scheduler/scheduler-record.ts",
        from: ` * AGEING_MS - this.schedulerRecord.ageingSinceMs;`,
        to: ` * AGEING_MS;`,
      },
    ],
  },
  {
    name: "the last served execution is served again",
    changes: [
      {
        file: "engine/src/collections/heap.ts",
        from: `if (a.tieBreakSeq !== b.tieBreakSeq) return a.tieBreakSeq < b.tieBreakSeq;`,
        to: `if (a.tieBreakSeq !== b.tieBreakSeq) return a.tieBreakSeq > b.tieBreakSeq;`,
      },
    ],
  },
  {
    name: "the last step that came is the first to be served",
    changes: [
      {
        file: "engine/src/collections/heap.ts",
        from: `return a.stepRank === b.stepRank ? a.since < b.since`,
        to: `return a.stepRank === b.stepRank ? a.since > b.since`,
      },
    ],
  },
  {
    name: "steps that become ready together are granted as they are declared",
    changes: [
      {
        file: "engine/src/scheduler/scheduler.ts",
        from: `      mustReconsiderWaiting ||
      !this.#strategyRunner.mayGrantInArrivalOrder(batches, this.#settings, this.#slots - this.#usedSlots)
`,
        to: `      mustReconsiderWaiting
`,
      },
    ],
  },
  {
    name: "what a turn gives back is granted before it has asked for anything",
    changes: [
      {
        file: "engine/src/scheduler/scheduler.ts",
        from: `if (this.#isGranting || this.#isClosed || this.#isCorked) return;`,
        to: `if (this.#isGranting || this.#isClosed) return;`,
      },
    ],
  },
  {
    name: "a quota is free again too early",
    changes: [
      {
        file: "engine/src/scheduler/resources/quota-window.ts",
        from: `entries[this.#head]!.atMs + this.perMs <= nowMs`,
        to: `entries[this.#head]!.atMs + this.perMs / 2 <= nowMs`,
      },
    ],
  },
  {
    name: "what is given up and still runs holds nothing",
    changes: [
      {
        file: "engine/src/turn/admission-controller.ts",
        from: `this.#scheduler.release(schedulerRecord, attempt.stepIndex, attempt, true);`,
        to: `this.#scheduler.release(schedulerRecord, attempt.stepIndex);`,
      },
    ],
  },
];
