// The agenda: the consequences of the folded events that are still to be decided.
//
//   A1. The agenda is derived. Folding a journal fills it again, so it is never written.
//   A2. A later event may have made an entry obsolete, so the consumer of an entry checks the state first.

export interface Agenda {
  /** Steps whose dependencies are all met. */
  readonly ready: AgendaQueue;
  /** Pairs: a step with a dependency that did not succeed, and that dependency. */
  readonly blockedSteps: AgendaQueue;
  /** Fallbacks that are not needed, because the primary did not fail. */
  readonly unneededFallbacks: AgendaQueue;
  /** Steps that failed for good. */
  readonly failed: AgendaQueue;
  /** Regions whose steps have all ended. */
  readonly settledRegions: AgendaQueue;
  /** Set when a signal arrives or a step begins to wait for one. */
  matchSignals: boolean;
  /** Set when scopes are open again and their timers are not armed. */
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

/** Clears the agenda: nothing follows in an ended execution, and a new round starts with an empty agenda. */
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

/** The array is compacted only after this many removals: compacting it for every item is expensive. */
const SPENT_MAX = 64;

/** A FIFO queue that does not shift its array for each item. */
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
