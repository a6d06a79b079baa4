// The agenda: the consequences of the folded events that are still to be decided.
//
//   A1. The agenda is derived. Folding a journal fills it again, so it is never written.
//   A2. A later event may have made an entry obsolete, so the consumer of an entry checks the state first.

import { Fifo } from "../data/fifo.ts";

export interface Agenda {
  /** Steps whose dependencies are all met. */
  readonly ready: Fifo<number>;
  /** Pairs: a step with a dependency that did not succeed, and that dependency. */
  readonly blockedSteps: Fifo<number>;
  /** Fallbacks that are not needed, because the primary did not fail. */
  readonly unneededFallbacks: Fifo<number>;
  /** Steps that failed for good. */
  readonly failed: Fifo<number>;
  /** Regions whose steps have all ended. */
  readonly settledRegions: Fifo<number>;
  /** Set when a signal arrives or a step begins to wait for one. */
  matchSignals: boolean;
  /** Set when scopes are open again and their timers are not armed. */
  armScopes: boolean;
}

export function createAgenda(): Agenda {
  return {
    ready: new Fifo<number>(),
    blockedSteps: new Fifo<number>(),
    unneededFallbacks: new Fifo<number>(),
    failed: new Fifo<number>(),
    settledRegions: new Fifo<number>(),
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
