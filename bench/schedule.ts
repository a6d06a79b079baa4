// The scheduler alone: what a pick costs when many wait, half of them for something else than a slot.

import { Claim, Requirement, SLOT_ONLY } from "../packages/engine/src/scheduler/resources/claim.ts";
import { Capacity } from "../packages/engine/src/scheduler/resources/resource.ts";
import { SchedulerRecord } from "../packages/engine/src/scheduler/scheduler-record.ts";
import { Scheduler } from "../packages/engine/src/scheduler/scheduler.ts";
import { contest } from "./contest.ts";
import { figure, type Figure } from "./figure.ts";
import { stallNote } from "./stall.ts";

const EXECUTIONS = 1000;
const SLOTS = 10;
const PICKS = 2000;
const STEP_MS = 1;

/**
 * Half of the steps are blocked: they want a lock that one has, or more of a pool than is free, or both. The other half run
 * as soon as there is a slot, some of them with something of another pool.
 */
function claims(): readonly Claim[] {
  const [lock, pool, agent] = ["lock", "pool", "agent"].map((name) => new Capacity(name, "declared"));
  const blocked = [[lock!.toDemand(1, 1)], [pool!.toDemand(4, 4)], [lock!.toDemand(1, 1), pool!.toDemand(2, 4)]];
  const free = [agent!.toDemand(1, SLOTS)];
  return [0, 1, 2].flatMap((priority) => [
    new Claim(priority, new Requirement(blocked[priority]!)),
    priority === 0 ? SLOT_ONLY : new Claim(priority, new Requirement(priority === 1 ? free : [])),
  ]);
}

/** A scheduler with so many waiting steps. Whoever has run asks again, so the number stays the same. */
class Crowd {
  readonly #claims = claims();
  readonly #records: readonly SchedulerRecord<number>[];
  readonly #running: { owner: number; step: number }[] = [];
  readonly #scheduler: Scheduler<number>;
  #nowMs = 1_763_000_000_000;

  constructor(waiting: number) {
    const executions = Math.min(EXECUTIONS, waiting);
    this.#records = Array.from(
      { length: executions },
      (_, owner) => new SchedulerRecord(owner, owner % 10 === 0 ? 2 : 50),
    );
    this.#scheduler = new Scheduler(
      { slots: SLOTS + 2, perAgent: 3 },
      {
        grant: (owner, step) => void this.#running.push({ owner, step }),
        clock: { monotonic: () => this.#nowMs, now: () => this.#nowMs },
        requestWake: () => undefined,
        report: (error) => console.error(error),
        dependantCount: () => 0,
        stepName: () => ({ execution: "", workflow: "", step: "" }),
        executionId: () => "",
      },
    );
    this.#block();
    for (let index = 0; index < waiting; index++) this.#ask(index % executions, Math.floor(index / executions));
  }

  get waiting(): number {
    return this.#scheduler.waitingCount;
  }

  picks(): void {
    for (let pick = 0; pick < PICKS; pick++) {
      const { owner, step } = this.#running.shift()!;
      this.#nowMs += STEP_MS;
      this.#scheduler.release(this.#records[owner]!, step);
      this.#ask(owner, step);
    }
  }

  /** One step holds the lock and one unit of the pool, and never ends. */
  #block(): void {
    const keeper = new SchedulerRecord(-1);
    for (const step of [0, 2]) this.#scheduler.request(keeper, step, this.#claims[step === 0 ? 0 : 4]!);
    this.#running.length = 0;
  }

  #ask(owner: number, step: number): void {
    this.#scheduler.request(this.#records[owner]!, step, this.#claims[(owner + step) % this.#claims.length]!);
  }
}

export async function benchSchedule(): Promise<readonly Figure[]> {
  const [few, many] = [new Crowd(1000), new Crowd(100_000)];
  const { oursMs, baselineMs, stallMs } = await contest({
    ours: () => many.picks(),
    baseline: () => few.picks(),
    rounds: 41,
    warmUps: 20,
  });
  const note = `${micros(baselineMs)} to ${micros(oursMs)} a pick with ${many.waiting} waiting, ${stallNote(stallMs)}`;
  return [figure("schedule: a pick of 100,000 waiting against one of 1,000", oursMs / baselineMs, 3, note)];
}

function micros(roundMs: number): string {
  return `${((roundMs / PICKS) * 1000).toFixed(2)} µs`;
}
