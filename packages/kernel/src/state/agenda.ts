// The agenda: what follows from the events folded so far and has not been decided yet.
//
//   A1. It is derived: folding a journal fills it again, so it is never written.
//   A2. An entry may have been overtaken by a later event; whoever takes it looks at the state first.

export interface Agenda {
  /** Steps with nothing left to wait for. */
  readonly ready: AgendaQueue;
  /** Pairs: a step one of whose dependencies did not succeed, and the step that is to blame. */
  readonly blockedSteps: AgendaQueue;
  /** Fallbacks whose primary did not need them. */
  readonly unneededFallbacks: AgendaQueue;
  /** Steps that failed for good. */
  readonly failed: AgendaQueue;
  /** Regions all of whose steps have ended. */
  readonly settledRegions: AgendaQueue;
  /** Signals came or steps began to wait for one. */
  matchSignals: boolean;
  /** Scopes are open again, and their timers are not. */
  armScopes: boolean;
}

export function createAgenda(): Agenda {
  return {
    ready: new AgendaQueue(),
    blockedSteps: new AgendaQueue(),
    unneededFallbacks: new AgendaQueue(),
    failed: new AgendaQueue(),
    settledRegions: new AgendaQueue(),
    matchSignals: false,
    armScopes: false,
  };
}

/** Whatever an ended execution still had to think about is moot; a new round starts with a clean agenda. */
export function clearAgenda(agenda: Agenda): void {
  for (const queue of [
    agenda.ready,
    agenda.blockedSteps,
    agenda.unneededFallbacks,
    agenda.failed,
    agenda.settledRegions,
  ])
    queue.clear();
  agenda.matchSignals = false;
  agenda.armScopes = false;
}

/** Places of what was dropped are kept until there are so many: making room anew for every item is dear. */
const SPENT_MAX = 64;

/** First in, first out, without shifting an array for each. */
export class AgendaQueue {
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
