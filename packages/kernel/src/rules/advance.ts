// Advance: decides and folds until nothing follows. This is the inside of a turn.
//
//   V1. The state is advanced as far as possible; the events are returned in order, to be appended as one block.
//   V2. When a value is needed, the decisions so far stand. The caller loads the value and advances again with `proceed`, or with
//       the same happening if nothing had been decided yet.

import type { Event } from "../journal/event.ts";
import type { ContentHash, EpochMs } from "../model/units.ts";
import { decide, hasWork, proceed } from "./decide.ts";
import { ACCEPTED, type Reply, type Decided } from "./decision.ts";
import type { Effect } from "./effect.ts";
import { fold } from "../state/fold.ts";
import type { Happening } from "./happening.ts";
import type { ResolvedCall, State } from "../state/state.ts";
import type { StoredValues } from "./stored-values.ts";

/** Collects the results of happenings. A turn handles several happenings and collects everything in one sink. */
export interface DecisionSink {
  readonly events: Event[];
  reply: Reply;
  /** The values to load before the decision can continue; empty if nothing is left to decide. */
  missingValues: readonly ContentHash[];
  /** Whether the happening itself was decided; if not, the caller passes it again with the missing values. */
  isHappeningConsumed: boolean;
  /** Called in order; the events that an effect follows from are folded before. */
  emitEffect(effect: Effect): void;
}

const NO_VALUES: readonly never[] = Object.freeze([]);

/** All results as lists. */
export class AdvanceResult implements DecisionSink {
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  reply: Reply = ACCEPTED;
  missingValues: readonly ContentHash[] = NO_VALUES;
  isHappeningConsumed = false;

  /** Adds an effect. The rules of the kernel call it. */
  emitEffect(effect: Effect): void {
    this.effects.push(effect);
  }
}

/** Decides and folds until no further event follows, and returns all events and effects. The state is changed. */
export function advance(state: State, happening: Happening, values: StoredValues): AdvanceResult {
  const gathered = new AdvanceResult();
  advanceInto(gathered, state, happening, values);
  return gathered;
}

export function advanceInto(sink: DecisionSink, state: State, happening: Happening, values: StoredValues): void {
  const first = decide(state, happening, values);
  sink.isHappeningConsumed = first.kind !== "needs";
  if (first.kind === "needs") {
    sink.missingValues = first.values;
    return;
  }
  apply(state, first, sink);
  sink.reply = first.reply;
  sink.missingValues = hasWork(state) ? decideRest(state, happening.at, values, sink) : NO_VALUES;
}

/** The values to load before it can continue; undefined when it is done. */
function decideRest(state: State, at: EpochMs, values: StoredValues, sink: DecisionSink): readonly ContentHash[] {
  do {
    const next = proceed(state, at, values);
    if (next.kind === "needs") return next.values;
    apply(state, next, sink);
  } while (hasWork(state));
  return NO_VALUES;
}

function apply(state: State, decided: Decided, sink: DecisionSink): void {
  const { event, effect, moreEvents, moreEffects } = decided;
  if (event !== undefined) applyEvent(state, event, sink);
  if (moreEvents !== undefined) for (const further of moreEvents) applyEvent(state, further, sink);
  applyAgenda(state, decided);
  if (effect !== undefined) sink.emitEffect(effect);
  if (moreEffects !== undefined) for (const further of moreEffects) sink.emitEffect(further);
}

function applyEvent(state: State, event: Event, { events }: DecisionSink): void {
  fold(state, event);
  events.push(event);
}

/** Applies the parts of a decision that are not events: the queued step, and the consumed entries of the agenda. */
export function applyAgenda(state: State, { queued, resolvedCall, consumed }: Decided): void {
  if (queued !== undefined) noteQueued(state, queued, resolvedCall);
  if (consumed === undefined) return;
  if (consumed.queue === "signals") state.agenda.matchSignals = false;
  else if (consumed.queue === "scopes") state.agenda.armScopes = false;
  else state.agenda[consumed.queue].drop(consumed.count);
}

function noteQueued(state: State, step: number, call: ResolvedCall | undefined): void {
  state.columns.queued[step] = 1;
  state.queuedCount++;
  if (call?.value !== undefined) state.preparedCalls.set(step, call);
}
