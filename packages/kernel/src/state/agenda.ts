// The agenda: what follows from the events folded so far and has not been decided yet.
//
//   A1. It is derived: folding a journal fills it again, so it is never written.
//   A2. An entry may have been overtaken by a later event; whoever takes it looks at the state first.

import { Fifo } from "../data/fifo.ts";

export interface Agenda {
  /** Steps with nothing left to wait for. */
  readonly ready: Fifo<number>;
  /** Pairs: a step one of whose dependencies did not succeed, and the step that is to blame. */
  readonly blockedSteps: Fifo<number>;
  /** Fallbacks whose primary did not need them. */
  readonly unneededFallbacks: Fifo<number>;
  /** Steps that failed for good. */
  readonly failed: Fifo<number>;
  /** Regions all of whose steps have ended. */
  readonly settledRegions: Fifo<number>;
  /** Signals came or steps began to wait for one. */
  matchSignals: boolean;
  /** Scopes are open again, and their timers are not. */
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
