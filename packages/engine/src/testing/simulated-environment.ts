// A simulated world: virtual time, and one queue for all concurrent tasks.
//
// It decides what happens next. Alarms, deferred work, and answers of stores and agents are tasks. The seed chooses
// among tasks that are due at the same virtual time, and if none is due, time jumps to the next one. The world does not
// know what a task means and injects no faults.
//
//   V1. A seed determines a run: between two tasks only promises run, in the order that the language defines.
//   V2. A crashed process does nothing more: its tasks are dropped, and promises that depend on it never settle.
//   V3. Time passes only by waiting, and the monotonic clock with it. The wall clock may be set. An alarm for a
//       wall-clock time follows the wall clock: if the clock is set past that time, the alarm fires at once.

import { epochMs, type EpochMs } from "@segno/kernel";
import type { AlarmTime, SystemPorts } from "../clock/system-ports.ts";
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
  /** Called before every task. */
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

  /** The wall-clock time. */
  get clock(): EpochMs {
    return epochMs(this.#now + this.#clockOffsetMs);
  }

  /** The elapsed time, from an arbitrary origin. */
  get monotonic(): number {
    return this.#now;
  }

  /** The offset of the wall clock from the elapsed time. */
  get clockOffsetMs(): number {
    return this.#clockOffsetMs;
  }

  set clockOffsetMs(ms: number) {
    this.#clockOffsetMs = ms;
    for (const listen of this.#clockListeners) listen();
  }

  /** Calls `listen` after the wall clock was set. */
  onClockSet(listen: () => void): void {
    this.#clockListeners.add(listen);
  }

  /** The delay until the next task. */
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

  /** Runs one task that is due within the given time, and all promises that follow from it. False if there is none. */
  async step(withinMs: number = Number.POSITIVE_INFINITY): Promise<boolean> {
    const task = this.#pick(withinMs);
    if (task === undefined) return false;
    this.onTask?.(task, this.#now);
    task.run();
    await quiet();
    return true;
  }

  /** Advances time, and runs all tasks that become due. */
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

/** One process of a simulated world. A crash drops all its tasks. */
export class SimulatedEnvironment implements SystemPorts {
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

  callSoon(work: () => void): void {
    this.after(0, "soon", work);
  }

  id(): string {
    return this.world.newId();
  }

  seed(): number {
    return this.world.random.next();
  }

  /** Schedules a task of this process; a crash drops it. */
  after(ms: number, label: string, run: () => void): Task | undefined {
    return this.#isAlive ? this.world.schedule(ms, `${this.name} ${label}`, run, this) : undefined;
  }

  sleep(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => this.after(ms, label, resolve));
  }

  /** Calls back when the process crashes; writes on their way to a disk may still arrive. */
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

/** Resolves when the microtask queue is empty. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
