// Advance: decide and fold until nothing follows any more. This is the inside of a turn.
//
//   V1. The state is moved as far as it can be; the events that moved it come back in order, to be appended as one.
//   V2. When a value is needed, what was decided so far stands; load it and advance again with `proceed`, or with the
//       same happening if nothing had been decided yet.

import type { Event } from "../journal/event.ts";
import type { ContentHash } from "../model/units.ts";
import { hasWork, decide } from "./decide.ts";
import { ACCEPTED, type Answer, type Decided } from "./decision.ts";
import type { Effect } from "./effect.ts";
import { fold } from "./fold.ts";
import type { Happening } from "./happening.ts";
import type { Call, State } from "./state.ts";
import type { World } from "./world.ts";

/** What came of a happening. A turn that takes several of them gathers all events and effects in one. */
export interface Advance {
  readonly events: Event[];
  readonly effects: Effect[];
  answer: Answer;
  /** Empty when it went all the way. */
  needs: readonly ContentHash[];
  /** Whether the happening itself was decided, or has to be brought again. */
  isTaken: boolean;
}

const NO_NEEDS: readonly never[] = Object.freeze([]);

export function advance(state: State, happening: Happening, world: World, into: Advance = nothing()): Advance {
  const first = decide(state, happening, world);
  into.isTaken = first.kind !== "needs";
  if (first.kind === "needs") {
    into.needs = first.values;
    return into;
  }
  apply(state, first, into);
  into.answer = first.answer;
  into.needs = hasWork(state) ? follow(state, { kind: "proceed", at: happening.at }, world, into) : NO_NEEDS;
  return into;
}

function nothing(): Advance {
  return { events: [], effects: [], answer: ACCEPTED, needs: NO_NEEDS, isTaken: false };
}

/** What it needs before it can go on; nothing when it is done. */
function follow(state: State, proceed: Happening, world: World, into: Advance): readonly ContentHash[] {
  do {
    const next = decide(state, proceed, world);
    if (next.kind === "needs") return next.values;
    apply(state, next, into);
  } while (hasWork(state));
  return NO_NEEDS;
}

function apply(state: State, decided: Decided, into: Advance): void {
  const { event, effect, furtherEvents, furtherEffects } = decided;
  if (event !== undefined) happen(state, event, into);
  if (furtherEvents !== undefined) for (const further of furtherEvents) happen(state, further, into);
  if (effect !== undefined) into.effects.push(effect);
  if (furtherEffects !== undefined) for (const further of furtherEffects) into.effects.push(further);
  conclude(state, decided);
}

function happen(state: State, event: Event, { events }: Advance): void {
  fold(state, event);
  events.push(event);
}

/** What a decision says beside its events: who is queued from now on, and what of the agenda it has dealt with. */
export function conclude(state: State, { queued, call, took }: Decided): void {
  if (queued !== undefined) ask(state, queued, call);
  if (took === undefined) return;
  if (took.queue === "signals") state.agenda.matchSignals = false;
  else if (took.queue === "scopes") state.agenda.armScopes = false;
  else state.agenda[took.queue].drop(took.count);
}

function ask(state: State, step: number, call: Call | undefined): void {
  state.columns.asked[step] = 1;
  state.askedCount++;
  if (call?.value !== undefined) state.prepared.set(step, call);
}
