// The agenda: what follows from the events folded so far and has not been decided yet.
//
//   A1. It is derived: folding a journal fills it again, so it is never written.
//   A2. An entry may have been overtaken by a later event; whoever takes it looks at the state first.

export interface Agenda {
  /** Steps with nothing left to wait for. */
  readonly ready: Queue;
  /** Pairs: a step one of whose dependencies did not succeed, and the step that is to blame. */
  readonly broken: Queue;
  /** Fallbacks whose primary did not need them. */
  readonly unused: Queue;
  /** Steps that failed for good. */
  readonly failed: Queue;
  /** Regions all of whose steps have ended. */
  readonly settled: Queue;
  /** Signals came or steps began to wait for one. */
  matchSignals: boolean;
  /** Scopes are open again, and their timers are not. */
  armScopes: boolean;
}

export function createAgenda(): Agenda {
  return {
    ready: new Queue(),
    broken: new Queue(),
    unused: new Queue(),
    failed: new Queue(),
    settled: new Queue(),
    matchSignals: false,
    armScopes: false,
  };
}

/** Whatever an ended execution still had to think about is moot; a new round starts with a clean agenda. */
export function clearAgenda(agenda: Agenda): void {
  for (const queue of [agenda.ready, agenda.broken, agenda.unused, agenda.failed, agenda.settled]) queue.clear();
  agenda.matchSignals = false;
  agenda.armScopes = false;
}

/** Places of what was dropped are kept until there are so many: making room anew for every item is dear. */
const SPENT_MAX = 64;

/** First in, first out, without shifting an array for each. */
export class Queue {
  #items: number[] = [];
  #head = 0;

  get isEmpty(): boolean {
    return this.#head === this.#items.length;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: number): void {
    this.#items.push(item);
  }

  peek(offset = 0): number {
    return this.#items[this.#head + offset]!;
  }

  drop(count = 1): void {
    this.#head += Math.min(count, this.length);
    if (this.#head === this.#items.length && this.#head > SPENT_MAX) this.clear();
  }

  clear(): void {
    this.#items.length = 0;
    this.#head = 0;
  }
}
