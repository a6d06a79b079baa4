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
  isTerminalPhase,
  PHASE_COUNT,
  PHASES,
  RETRYING,
  RUNNING,
  SUSPENDED,
  type StepStatus,
} from "../state/phase.ts";
import { stepCount, type State } from "../state/state.ts";
import { toProgress, type Progress } from "./progress.ts";
import { pastSteps } from "./step-relation.ts";

const NONE = new Int32Array(0);

export class FollowedState {
  readonly state: State;
  readonly #active = new Set<number>();
  #pastCounts = NONE;
  /** Steps whose events may change these numbers: scopes in a later round, and history that has not ended. */
  readonly #historic = new Set<number>();
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

  /** The number of steps and of items so far, and of those that have ended. */
  get progress(): Progress {
    return toProgress(this.state);
  }

  /** The number of steps, items and internal steps that the journal has in this status, without history. `ready` and `queued` count as `waiting`. */
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
    this.#historic.clear();
    // In a later round, a scope that starts over may show its earlier children or not, as its phase is.
    if (this.state.round > 1) for (const { parent } of this.state.regions) this.#historic.add(parent);
    for (const step of pastSteps(this.state)) {
      if (this.#pastCounts === NONE) this.#pastCounts = new Int32Array(PHASE_COUNT);
      this.#pastCounts[this.state.columns.phase[step]!]!++;
      // A compensation of a step that is history can still run.
      if (!isTerminalPhase(this.state.columns.phase[step]!)) this.#historic.add(step);
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
      case "step.expanded":
        if (this.state.round > 1) this.#isPastStale = true;
        return this.#index(event.step);
      default:
        if ("step" in event && event.step !== undefined) this.#index(event.step);
    }
  }

  #index(step: number): void {
    if (isActivePhase(this.state.columns.phase[step]!)) this.#active.add(step);
    else this.#active.delete(step);
    if (this.#historic.has(step)) this.#isPastStale = true;
  }
}

function isActivePhase(phase: number): boolean {
  return phase === RUNNING || phase === RETRYING || phase === SUSPENDED || phase === CANCELLING;
}
