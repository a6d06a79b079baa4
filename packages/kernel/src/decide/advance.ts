// Advance: decide and fold until nothing follows any more. This is the inside of a turn.
//
//   V1. The state is moved as far as it can be; the events that moved it come back in order, to be appended as one.
//   V2. When a value is needed, what was decided so far stands; load it and advance again with `proceed`, or with the
//       same happening if nothing had been decided yet.

import type { Event } from "../journal/event.ts";
import type { ContentHash } from "../model/units.ts";
import { hasWork, decide } from "./decide.ts";
import { ACCEPTED, type Answer, type Decided } from "./decision.ts";
import { added } from "./draft.ts";
import type { Effect } from "./effect.ts";
import { fold } from "./fold.ts";
import type { Happening } from "./happening.ts";
import type { Call, State } from "./state.ts";
import type { World } from "./world.ts";

export interface Advance {
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  readonly answer: Answer;
  /** Empty when it went all the way. */
  readonly needs: readonly ContentHash[];
  /** Whether the happening itself was decided, or has to be brought again. */
  readonly isTaken: boolean;
}

export function advance(state: State, happening: Happening, world: World): Advance {
  const first = decide(state, happening, world);
  if (first.kind === "needs") return { events: [], effects: [], answer: ACCEPTED, needs: first.values, isTaken: false };
  apply(state, first);
  if (!hasWork(state))
    return { events: first.events, effects: first.effects, answer: first.answer, needs: NO_NEEDS, isTaken: true };
  return follow(state, first, { kind: "proceed", at: happening.at }, world);
}

const NO_NEEDS: readonly never[] = Object.freeze([]);

function follow(state: State, first: Decided, proceed: Happening, world: World): Advance {
  let { events, effects } = first;
  let needed: readonly ContentHash[] = NO_NEEDS;
  while (needed.length === 0 && hasWork(state)) {
    const next = decide(state, proceed, world);
    if (next.kind === "needs") {
      needed = next.values;
      continue;
    }
    apply(state, next);
    for (const event of next.events) events = added(events, event);
    for (const effect of next.effects) effects = added(effects, effect);
  }
  return { events, effects, answer: first.answer, needs: needed, isTaken: true };
}

function apply(state: State, decided: Decided): void {
  for (const event of decided.events) fold(state, event);
  conclude(state, decided);
}

/** What a decision says beside its events: who is queued from now on, and what of the agenda it has dealt with. */
export function conclude(state: State, { queued, call, took }: Decided): void {
  if (queued !== undefined) ask(state, queued, call);
  if (took === undefined) return;
  if (took.queue === "signals") state.agenda.matchSignals = false;
  else state.agenda[took.queue].drop(took.count);
}

function ask(state: State, step: number, call: Call | undefined): void {
  state.columns.asked[step] = 1;
  state.askedCount++;
  if (call?.value !== undefined) state.prepared.set(step, call);
}
