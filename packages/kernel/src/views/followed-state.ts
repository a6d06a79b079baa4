// A state that follows an execution for display: it folds the events as they arrive, from the engine of this process, from
// another process or from a server. The command uses it, and a page in a browser can use it too.
// Not its job: deciding. The consequences that `fold` notes on the agenda are dropped.
//
//   FS1. The state is the fold of the journal and nothing else (JOURNAL-2). The indexes beside it are read from the state.
//   FS2. An event costs as much as the steps that it names. Steps that are only history are counted when a number is read, and
//        only if they may have changed: after a new round, a compensation, or an event of a scope that starts over.
//   FS3. An event that was folded before changes nothing, so that following may begin at any event and be repeated.

import type { Event } from "../journal/event.ts";
import { clearAgenda } from "../state/agenda.ts";
import { fold } from "../state/fold.ts";
import {
  CANCELLING,
  PHASE_COUNT,
  PHASES,
  RETRYING,
  RUNNING,
  SUCCEEDED,
  SUSPENDED,
  type StepStatus,
} from "../state/phase.ts";
import { stepCount, type State } from "../state/state.ts";
import { toProgress } from "./progress.ts";
import { pastSteps } from "./step-relation.ts";

const NONE = new Int32Array(0);

export class FollowedState {
  readonly state: State;
  readonly #active = new Set<number>();
  #pastCounts = NONE;
  /** Scopes that start over in this round: the steps of their earlier regions are history for now. */
  readonly #restarted = new Set<number>();
  #isPastStale = true;

  /** Takes a state that belongs to the caller, and goes on from its last event. */
  constructor(state: State) {
    this.state = state;
    for (let step = 0; step < stepCount(state); step++) this.#index(step);
  }

  /** Folds an event. Returns false if it was folded before. */
  apply(event: Event): boolean {
    if (event.seq <= this.state.seq) return false;
    fold(this.state, event);
    clearAgenda(this.state.agenda);
    this.#indexNamed(event);
    return true;
  }

  /** The steps that run, or that wait for something of their own, in the order in which they began to. */
  get active(): ReadonlySet<number> {
    return this.#active;
  }

  /** The number of steps so far, without history. */
  get total(): number {
    return stepCount(this.state) - sum(this.#past);
  }

  /** The number of steps that have ended, without history. */
  get done(): number {
    return toProgress(this.state).ended - sum(this.#past, SUCCEEDED);
  }

  /** The number of steps that the journal has in this status, without history. `ready` and `queued` count as `waiting`. */
  count(status: StepStatus): number {
    const phase = PHASES.indexOf(status);
    return phase < 0 ? 0 : this.state.counts[phase]! - (this.#past[phase] ?? 0);
  }

  /** The number of steps that are only history, by phase; empty if there are none. */
  get #past(): Int32Array {
    if (this.#isPastStale) this.#countPast();
    return this.#pastCounts;
  }

  #countPast(): void {
    this.#isPastStale = false;
    this.#pastCounts = NONE;
    this.#restarted.clear();
    for (const { step, parent } of pastSteps(this.state)) {
      if (this.#pastCounts === NONE) this.#pastCounts = new Int32Array(PHASE_COUNT);
      this.#pastCounts[this.state.columns.phase[step]!]!++;
      this.#restarted.add(parent);
    }
  }

  #indexNamed(event: Event): void {
    switch (event.kind) {
      case "steps.skipped":
      case "steps.cancelled":
      case "steps.cancelling":
        for (const [from, to] of event.steps) for (let step: number = from; step <= to; step++) this.#index(step);
        return;
      case "execution.reopened":
      case "execution.compensating":
        this.#isPastStale = true;
        return;
      default:
        if ("step" in event && event.step !== undefined) this.#index(event.step);
    }
  }

  #index(step: number): void {
    if (isActivePhase(this.state.columns.phase[step]!)) this.#active.add(step);
    else this.#active.delete(step);
    if (this.#restarted.has(step)) this.#isPastStale = true;
  }
}

function sum(counts: Int32Array, first = 0): number {
  let total = 0;
  for (let phase = first; phase < counts.length; phase++) total += counts[phase]!;
  return total;
}

function isActivePhase(phase: number): boolean {
  return phase === RUNNING || phase === RETRYING || phase === SUSPENDED || phase === CANCELLING;
}
