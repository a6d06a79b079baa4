// A draft: the events and effects of one decision, as they come together.

import { EVENT_VERSION, type Event, type EventBody, type StepRange } from "../journal/event.ts";
import type { ContentHash, EpochMs, StepIndex } from "../model/units.ts";
import { ACCEPTED, type AgendaPart, type Answer, type Decided, type Decision, type IgnoreReason } from "./decision.ts";
import type { Effect } from "./effect.ts";
import { executionStatus, type Call, type State } from "./state.ts";

/** An empty list that nobody adds to; most decisions have no events or no effects. */
const NONE: readonly never[] = Object.freeze([]);

export class Draft implements Decided {
  readonly kind = "decided";
  readonly at: EpochMs;
  events: readonly Event[] = NONE;
  effects: readonly Effect[] = NONE;
  answer: Answer = ACCEPTED;
  queued: number | undefined = undefined;
  call: Call | undefined = undefined;
  took: AgendaPart | undefined = undefined;
  seq: number;

  /** Time never goes back, whatever the clocks of the world say (JOURNAL-4). */
  constructor(state: State, at: EpochMs) {
    this.at = at > state.at ? at : state.at;
    this.seq = state.seq;
  }

  emit(body: EventBody): void {
    // The body is a union; putting the three fields in front of any member of it gives an event.
    this.add({ v: EVENT_VERSION, seq: ++this.seq, at: this.at, ...body });
  }

  /** For the events of every step, which are made in place to spare a copy. */
  add(event: Event): void {
    this.events = added(this.events, event);
  }

  ask(effect: Effect): void {
    this.effects = added(this.effects, effect);
  }

  queue(step: number, call: Call | undefined): void {
    this.queued = step;
    this.call = call;
  }

  decided(answer: Answer = ACCEPTED, took?: AgendaPart): Decided {
    this.answer = answer;
    this.took = took;
    return this;
  }
}

/** A list of one is the common case; written as a literal it takes a tenth of the room that a first push takes. */
function added<Item>(list: readonly Item[], item: Item): readonly Item[] {
  if (list.length === 0) return [item];
  (list as Item[]).push(item);
  return list;
}

export function ignored(state: State, reason: IgnoreReason, effects: readonly Effect[] = []): Decided {
  return {
    kind: "decided",
    events: [],
    effects,
    answer: { kind: "ignored", reason, status: executionStatus(state) },
    queued: undefined,
    call: undefined,
    took: undefined,
  };
}

export function needs(values: Iterable<ContentHash>): Decision {
  return { kind: "needs", values: [...values] };
}

/** Ascending steps as ranges. */
export function rangesOf(steps: readonly number[]): readonly StepRange[] {
  const ranges: [StepIndex, StepIndex][] = [];
  for (const step of steps as readonly StepIndex[]) {
    const open = ranges.at(-1);
    if (open !== undefined && step === open[1] + 1) open[1] = step;
    else ranges.push([step, step]);
  }
  return ranges;
}
