// The builder of a decision: collects its events and effects.
//
// There are three decisions for every step, and few have two events or two effects. So the first of each has a field, and a list
// is made only for further ones: a list for one element would be most of what a decision allocates, and V8 allocates short lists in
// the old generation once some have lived long.

import { EVENT_VERSION, type Event, type EventBody, type StepRange } from "../journal/event.ts";
import type { ContentHash, EpochMs, StepIndex } from "../model/units.ts";
import {
  ACCEPTED,
  type ConsumedEntry,
  type Reply,
  type Decided,
  type Decision,
  type IgnoreReason,
} from "./decision.ts";
import type { Effect } from "./effect.ts";
import { executionStatus, type ResolvedCall, type State } from "../state/state.ts";

export class DecisionBuilder implements Decided {
  readonly kind = "decided";
  readonly at: EpochMs;
  event: Event | undefined = undefined;
  effect: Effect | undefined = undefined;
  moreEvents: Event[] | undefined = undefined;
  moreEffects: Effect[] | undefined = undefined;
  reply: Reply = ACCEPTED;
  queued: number | undefined = undefined;
  resolvedCall: ResolvedCall | undefined = undefined;
  consumed: ConsumedEntry | undefined = undefined;
  seq: number;

  /** Time never goes back, whatever the clocks say (JOURNAL-4). */
  constructor(state: State, at: EpochMs) {
    this.at = at > state.at ? at : state.at;
    this.seq = state.seq;
  }

  emit(body: EventBody): void {
    // The body is a union; putting the three fields in front of any member of it gives an event.
    this.add({ v: EVENT_VERSION, seq: ++this.seq, at: this.at, ...body });
  }

  /** For the events of every step, which are built in place to avoid a copy. */
  add(event: Event): void {
    if (this.event === undefined) this.event = event;
    else (this.moreEvents ??= []).push(event);
  }

  emitEffect(effect: Effect): void {
    if (this.effect === undefined) this.effect = effect;
    else (this.moreEffects ??= []).push(effect);
  }

  get events(): readonly Event[] {
    return this.event === undefined ? [] : [this.event, ...(this.moreEvents ?? [])];
  }

  get effects(): readonly Effect[] {
    return this.effect === undefined ? [] : [this.effect, ...(this.moreEffects ?? [])];
  }

  queue(step: number, call: ResolvedCall | undefined): void {
    this.queued = step;
    this.resolvedCall = call;
  }

  finish(reply: Reply = ACCEPTED, consumed?: ConsumedEntry): Decided {
    this.reply = reply;
    this.consumed = consumed;
    return this;
  }
}

export function ignore(state: State, reason: IgnoreReason, effect?: Effect): Decided {
  const builder = new DecisionBuilder(state, state.at);
  if (effect !== undefined) builder.emitEffect(effect);
  return builder.finish({ kind: "ignored", reason, status: executionStatus(state) });
}

export function needs(values: Iterable<ContentHash>): Decision {
  return { kind: "needs", values: [...values] };
}

/** Ascending steps as ranges. */
export function toRanges(steps: readonly number[]): readonly StepRange[] {
  const ranges: [StepIndex, StepIndex][] = [];
  for (const step of steps as readonly StepIndex[]) {
    const open = ranges.at(-1);
    if (open !== undefined && step === open[1] + 1) open[1] = step;
    else ranges.push([step, step]);
  }
  return ranges;
}
