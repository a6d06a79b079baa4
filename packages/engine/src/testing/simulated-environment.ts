// A simulated world: virtual time, and one place through which everything concurrent goes.
//
// Job: say what happens next. Alarms, deferred work, answers of stores and of agents are tasks; among those that are due
// at the same virtual time the seed picks, and when none is due time jumps to the next one.
// Not its job: knowing what a task means, or making anything fail.
//
//   V1. A seed is one run: between two tasks only promises run, and their order is fixed by the language.
//   V2. A process that has crashed does nothing any more: its tasks are dropped, and whoever it left waiting waits for ever.
//   V3. Time goes forward by waiting only, and the monotonic clock with it. The wall clock may be set, as clocks are. An
//       alarm for a time of the wall clock follows it: set past that time, the alarm rings at once.

import { epochMs, type EpochMs } from "@segno/kernel";
import type { AlarmTime, Environment } from "../clock/environment.ts";
import { Random } from "./random.ts";

export interface Task {
  readonly at: number;
  readonly label: string;
  readonly process: SimulatedEnvironment | undefined;
  readonly run: () => void;
}

const START_MS = 1_763_000_000_000;

export class SimulatedWorld {
  readonly random: Random;
  /** Told of every task before it runs. */
  onTask: ((task: Task, now: number) => void) | undefined;
  #clockOffsetMs = 0;
  readonly #clockListeners = new Set<() => void>();
  #now = START_MS;
  #tasks: Task[] = [];
  #ids = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  get elapsedMs(): number {
    return this.#now - START_MS;
  }

  /** What wall clocks show. */
  get clock(): EpochMs {
    return epochMs(this.#now + this.#clockOffsetMs);
  }

  /** The time that has passed, from an arbitrary origin. */
  get monotonic(): number {
    return this.#now;
  }

  /** What wall clocks show beyond the time that has passed. */
  get clockOffsetMs(): number {
    return this.#clockOffsetMs;
  }

  set clockOffsetMs(ms: number) {
    this.#clockOffsetMs = ms;
    for (const listen of this.#clockListeners) listen();
  }

  /** Told when the wall clock was set. */
  onClockSet(listen: () => void): void {
    this.#clockListeners.add(listen);
  }

  /** When the next task is due, from now. */
  get nextInMs(): number | undefined {
    const at = this.#tasks.reduce((first, task) => Math.min(first, task.at), Number.POSITIVE_INFINITY);
    return at === Number.POSITIVE_INFINITY ? undefined : Math.max(0, at - this.#now);
  }

  processTasks(process: SimulatedEnvironment): readonly Task[] {
    return this.#tasks.filter((task) => task.process === process);
  }

  process(name: string): SimulatedEnvironment {
    return new SimulatedEnvironment(this, name);
  }

  schedule(inMs: number, label: string, run: () => void, process?: SimulatedEnvironment): Task {
    const task: Task = { at: this.#now + Math.max(0, inMs), label, process, run };
    this.#tasks.push(task);
    return task;
  }

  cancel(task: Task): void {
    const index = this.#tasks.indexOf(task);
    if (index >= 0) this.#tasks.splice(index, 1);
  }

  cancelAll(process: SimulatedEnvironment): void {
    this.#tasks = this.#tasks.filter((task) => task.process !== process);
  }

  newId(): string {
    return `id-${String(++this.#ids).padStart(6, "0")}`;
  }

  /** Runs one task that is due within so long, and everything that follows from it without waiting. False when there is none. */
  async step(withinMs: number = Number.POSITIVE_INFINITY): Promise<boolean> {
    const task = this.#pick(withinMs);
    if (task === undefined) return false;
    this.onTask?.(task, this.#now);
    task.run();
    await quiet();
    return true;
  }

  /** Lets so much time pass, with all that happens in it. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await quiet();
    while (await this.step(end - this.#now));
    this.#now = Math.max(this.#now, end);
  }

  #pick(withinMs: number): Task | undefined {
    const wait = this.nextInMs;
    if (wait === undefined || wait > withinMs) return undefined;
    this.#now += wait;
    const due = this.#tasks.filter((task) => task.at <= this.#now);
    const task = this.random.pick(due);
    this.cancel(task);
    return task;
  }
}

/** One process of a simulated world. A crash takes everything that it was about to do. */
export class SimulatedEnvironment implements Environment {
  readonly world: SimulatedWorld;
  readonly name: string;
  readonly workerId = "simulation";
  readonly #onCrash: (() => void)[] = [];
  #alarm: Task | undefined;
  #due: (AlarmTime & { readonly ring: () => void }) | undefined;
  #isAlive = true;

  constructor(world: SimulatedWorld, name: string) {
    this.world = world;
    this.name = name;
    world.onClockSet(() => {
      if (this.#due !== undefined && this.#due.wall !== Infinity) this.#setAlarm();
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get hasAlarm(): boolean {
    return this.#alarm !== undefined;
  }

  now(): EpochMs {
    return this.world.clock;
  }

  monotonic(): number {
    return this.world.monotonic;
  }

  alarm(due: AlarmTime | undefined, ring: () => void): void {
    this.#due = due === undefined ? undefined : { ...due, ring };
    this.#setAlarm();
  }

  #setAlarm(): void {
    if (this.#alarm !== undefined) this.world.cancel(this.#alarm);
    this.#alarm = undefined;
    if (this.#due === undefined) return;
    const { monotonic, wall, ring } = this.#due;
    this.#alarm = this.after(Math.min(monotonic - this.monotonic(), wall - this.now()), "alarm", () => {
      this.#alarm = undefined;
      this.#due = undefined;
      ring();
    });
  }

  defer(work: () => void): void {
    this.after(0, "defer", work);
  }

  soon(work: () => void): void {
    this.after(0, "soon", work);
  }

  id(): string {
    return this.world.newId();
  }

  seed(): number {
    return this.world.random.next();
  }

  /** A task of this process; it dies with it. */
  after(ms: number, label: string, run: () => void): Task | undefined {
    return this.#isAlive ? this.world.schedule(ms, `${this.name} ${label}`, run, this) : undefined;
  }

  sleep(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => this.after(ms, label, resolve));
  }

  /** Called when the process dies; what was on its way to a disk may still arrive there. */
  onCrash(call: () => void): void {
    this.#onCrash.push(call);
  }

  crash(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#alarm = undefined;
    this.#due = undefined;
    this.world.cancelAll(this);
    for (const call of this.#onCrash) call();
  }
}

/** Resolves when no promise has anything left to do. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
