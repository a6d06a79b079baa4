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
  const events: Event[] = [];
  const effects: Effect[] = [];
  const first = decide(state, happening, world);
  if (first.kind === "needs") return { events, effects, answer: ACCEPTED, needs: first.values, isTaken: false };
  apply(state, first, events, effects);
  while (hasWork(state)) {
    const next = decide(state, { kind: "proceed", at: happening.at }, world);
    if (next.kind === "needs") return { events, effects, answer: first.answer, needs: next.values, isTaken: true };
    apply(state, next, events, effects);
  }
  return { events, effects, answer: first.answer, needs: [], isTaken: true };
}

function apply(state: State, decided: Decided, events: Event[], effects: Effect[]): void {
  const { took, queued } = decided;
  for (const event of decided.events) {
    fold(state, event);
    events.push(event);
  }
  for (const effect of decided.effects) effects.push(effect);
  if (queued !== undefined) ask(state, queued.step, queued.call);
  if (took?.queue === "signals") state.agenda.matchSignals = false;
  else if (took !== undefined) state.agenda[took.queue].drop(took.count);
}

function ask(state: State, step: number, call: Call | undefined): void {
  state.columns.asked[step] = 1;
  state.askedCount++;
  if (call?.value !== undefined) state.prepared.set(step, call);
}
