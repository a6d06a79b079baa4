// The line: portions go in as fast as there is room, outcomes come out in order or as they come.
//
// Job: to pull, to keep within the bounds, and to hand out. Not its job: how a portion is run, and what its outcome means.
//
//   L1. At most `concurrency` portions are under way, and at most `room` are under way or wait to be taken. Nothing is pulled
//       beyond that, so the source is never faster than whoever takes (back-pressure).
//   L2. One pull at a time. What comes after `stop` is dropped; it was never begun.
//   L3. Every portion that was begun has an outcome, which is taken once, or it has an error, which ends the line.
//   L4. After an error nothing new begins. It is told when everything that was under way has been taken.
//   L5. In order means by number, however long the first one takes.

import type { Portion } from "./portion-cutter.ts";

export interface LineOptions<Item, Outcome> {
  readonly concurrency: number;
  readonly room: number;
  readonly ordered: boolean;
  next(): Promise<Portion<Item> | undefined>;
  run(portion: Portion<Item>): Promise<Outcome>;
}

export class OutcomeLine<Item, Outcome> {
  readonly #options: LineOptions<Item, Outcome>;
  readonly #ready: Outcome[] = [];
  /** Outcomes before whose turn it is. */
  readonly #early = new Map<number, Outcome>();
  #turn = 0;
  #underWay = 0;
  #isPulling = false;
  #isOver = false;
  #trouble: { readonly error: unknown } | undefined;
  #change: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(options: LineOptions<Item, Outcome>) {
    this.#options = options;
  }

  /** Nothing when there are no more. */
  async take(): Promise<Outcome | undefined> {
    for (;;) {
      const outcome = this.#ready.shift();
      this.#pump();
      if (outcome !== undefined) return outcome;
      if (this.#isAtEnd) {
        if (this.#trouble !== undefined) throw this.#trouble.error;
        return undefined;
      }
      await this.#change.promise;
    }
  }

  /** Nothing new begins; what is under way ends as it does. */
  stop(): void {
    this.#isOver = true;
    this.#changed();
  }

  get #isAtEnd(): boolean {
    return this.#isOver && this.#underWay === 0 && this.#ready.length === 0;
  }

  get #hasRoom(): boolean {
    const { concurrency, room } = this.#options;
    if (this.#isOver || this.#underWay >= concurrency) return false;
    return this.#underWay + this.#early.size + this.#ready.length < room;
  }

  #pump(): void {
    if (!this.#isPulling && this.#hasRoom) void this.#pull();
  }

  async #pull(): Promise<void> {
    this.#isPulling = true;
    try {
      while (this.#hasRoom) {
        const portion = await this.#options.next();
        if (portion === undefined) return this.stop();
        if (!this.#isOver) void this.#run(portion);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isPulling = false;
    }
  }

  async #run(portion: Portion<Item>): Promise<void> {
    this.#underWay++;
    try {
      this.#arrive(portion.portion, await this.#options.run(portion));
    } catch (error) {
      this.#underWay--;
      this.#fail(error);
    }
  }

  #arrive(portion: number, outcome: Outcome): void {
    this.#underWay--;
    if (this.#options.ordered) this.#early.set(portion, outcome);
    else this.#ready.push(outcome);
    this.#settle();
  }

  /** L4. */
  #fail(error: unknown): void {
    this.#trouble ??= { error };
    this.#isOver = true;
    this.#settle();
  }

  #settle(): void {
    for (let next = this.#early.get(this.#turn); next !== undefined; next = this.#early.get(this.#turn)) {
      this.#early.delete(this.#turn++);
      this.#ready.push(next);
    }
    // One that had an error leaves a gap, and nobody waits for it any more.
    if (this.#trouble !== undefined && this.#underWay === 0)
      for (const [portion, outcome] of [...this.#early].toSorted(([a], [b]) => a - b)) {
        this.#early.delete(portion);
        this.#ready.push(outcome);
      }
    this.#pump();
    this.#changed();
  }

  #changed(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }
}
