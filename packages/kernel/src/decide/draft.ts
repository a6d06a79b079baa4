// A draft: the events and effects of one decision, as they come together.

import { EVENT_VERSION, type Event, type EventBody, type StepRange } from "../journal/event.ts";
import type { ContentHash, EpochMs, StepIndex } from "../model/units.ts";
import { ACCEPTED, type AgendaPart, type Answer, type Decided, type Decision, type IgnoreReason } from "./decision.ts";
import type { Effect } from "./effect.ts";
import { executionStatus, type Call, type State } from "./state.ts";

export class Draft {
  readonly at: EpochMs;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  queued: { readonly step: number; readonly call: Call | undefined } | undefined = undefined;
  #seq: number;

  /** Time never goes back, whatever the clocks of the world say (JOURNAL-4). */
  constructor(state: State, at: EpochMs) {
    this.at = at > state.at ? at : state.at;
    this.#seq = state.seq;
  }

  emit(body: EventBody): void {
    // The body is a union; putting the three fields in front of any member of it gives an event.
    this.events.push({ v: EVENT_VERSION, seq: ++this.#seq, at: this.at, ...body } as Event);
  }

  /** For the events of every step, which are made in place to spare a copy. */
  nextSeq(): number {
    return ++this.#seq;
  }

  decided(answer: Answer = ACCEPTED, took?: AgendaPart): Decided {
    return { kind: "decided", events: this.events, effects: this.effects, answer, queued: this.queued, took };
  }
}

export function ignored(state: State, reason: IgnoreReason, effects: readonly Effect[] = []): Decided {
  return {
    kind: "decided",
    events: [],
    effects,
    answer: { kind: "ignored", reason, status: executionStatus(state) },
    queued: undefined,
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
