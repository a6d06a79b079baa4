// Decide: a state, a happening and the stored values give events and effects. It changes nothing and does nothing.
//
//   D1. Total: every happening in every state has an answer; an obsolete happening is ignored, and the reply says so.
//   D2. Pure: no clock, no randomness, no I/O. The same arguments give the same decision, byte for byte (STATE-11).
//   D3. One step at a time: `proceed` decides the consequences of a decision, after its events were folded.
//   D4. Failures are decided before new starts, so that nothing starts in an execution that has just failed. Before failures come
//       the dependants of a failed step: their skip reason is that step, and not that the execution fails (STATE-5).
//   D5. A command never makes a journal unreadable: a command that would is ignored (JOURNAL-6). The happenings of steps are not
//       checked here, because there are many of them and their data was checked when it arrived.

import { isReadable } from "../journal/read-event.ts";
import type { EpochMs } from "../model/units.ts";
import { decideAttemptDeadline, decideBackoffOver, decideEnded, decideGranted, decideLost } from "./attempt.ts";
import { decideRecorded } from "./recorded-call.ts";
import { decideBroken, decideFailed, decideSettled, decideUnused } from "./consequences.ts";
import {
  decideBegin,
  decideCancel,
  decideCreate,
  decideDeadlock,
  decideExecutionDeadline,
  decideForce,
  decidePark,
  decidePause,
  decideResume,
  decideRetry,
  decideValidation,
  isDeadlocked,
} from "./control.ts";
import type { Decision } from "./decision.ts";
import { DecisionBuilder, ignore } from "./decision-builder.ts";
import type { Happening, Timer } from "./happening.ts";
import { isTerminalStatus } from "../state/phase.ts";
import { decideReady } from "./ready.ts";
import { decideResolved, decideScopeDeadline, decideScopeTimers, decideUnresolved } from "./scope.ts";
import type { State } from "../state/state.ts";
import { dueTime } from "./timers.ts";
import { decideSignalled, decideSignals, decideVoted, decideWaitOver } from "./waits.ts";
import type { StoredValues } from "./stored-values.ts";

/** Decides about one happening and changes nothing. It returns events and effects, or the values that it needs first. */
export function decide(state: State, happening: Happening, values: StoredValues): Decision {
  switch (happening.kind) {
    case "create":
      return decideCreate(state, happening);
    case "begin":
      return decideBegin(state, happening.at);
    case "proceed":
      return proceed(state, happening.at, values);
    case "granted":
      return decideGranted(state, happening, values);
    case "ended":
      return decideEnded(state, happening, values);
    case "recorded":
      return decideRecorded(state, happening);
    case "resolved":
      return decideResolved(state, happening, values);
    case "unresolved":
      return decideUnresolved(state, happening);
    case "lost":
      return decideLost(state, happening);
    case "due":
      return decideDue(state, happening.timer, happening.at, values);
    case "signalled":
      return readable(state, decideSignalled(state, happening));
    case "voted":
      return readable(state, decideVoted(state, happening, values));
    case "cancel":
      return readable(state, decideCancel(state, happening));
    case "pause":
      return readable(state, decidePause(state, happening));
    case "resume":
      return readable(state, decideResume(state, happening));
    case "park":
      return readable(state, decidePark(state, happening));
    case "retry":
      return readable(state, decideRetry(state, happening));
  }
}

/** D5. */
function readable(state: State, decision: Decision): Decision {
  if (decision.kind === "needs" || decision.events.every(isReadable)) return decision;
  return ignore(state, "unwritable");
}

/** A timer that fires too early is armed again: clocks may be set back, and some timers fire a moment before their time. */
function decideDue(state: State, timer: Timer, heardAt: EpochMs, values: StoredValues): Decision {
  const at = heardAt > state.at ? heardAt : state.at;
  const dueAt = dueTime(state, timer);
  if (dueAt !== undefined && at < dueAt) return ignore(state, "stale", { kind: "arm", timer, dueAt });
  switch (timer.kind) {
    case "execution-deadline":
      return decideExecutionDeadline(state, at);
    case "attempt-deadline":
      return decideAttemptDeadline(state, timer.step, timer.epoch, at);
    case "backoff":
      return decideBackoffOver(state, timer.step, timer.epoch, at);
    case "wait":
      return decideWaitOver(state, timer.step, at, values);
    case "scope-deadline":
      return decideScopeDeadline(state, timer.step, at);
    case "grace-end":
      return decideForce(state, timer.step, timer.epoch, at);
  }
}

/** Decides what follows from the events so far, one entry of the agenda at a time. */
export function proceed(state: State, at: EpochMs, values: StoredValues): Decision {
  const { agenda } = state;
  if (state.baseStatus === "validating") return decideValidation(state, at, values);
  if (!isActive(state)) return new DecisionBuilder(state, at).finish();
  if (!agenda.blockedSteps.isEmpty) return decideBroken(state, at);
  if (!agenda.unneededFallbacks.isEmpty) return decideUnused(state, agenda.unneededFallbacks.first!, at);
  if (!agenda.failed.isEmpty) return decideFailed(state, agenda.failed.first!, at);
  if (agenda.matchSignals) return decideSignals(state, at, values);
  if (agenda.armScopes) return decideScopeTimers(state, at);
  if (!agenda.ready.isEmpty) return decideReady(state, agenda.ready.first!, at, values);
  if (!agenda.settledRegions.isEmpty) return decideSettled(state, agenda.settledRegions.first!, at, values);
  return isDeadlocked(state) ? decideDeadlock(state, at) : new DecisionBuilder(state, at).finish();
}

/** Whether `proceed` would decide anything. */
export function hasWork(state: State): boolean {
  if (state.baseStatus === "validating") return true;
  if (!isActive(state)) return false;
  const { agenda } = state;
  if (!agenda.ready.isEmpty || !agenda.settledRegions.isEmpty || !agenda.failed.isEmpty || !agenda.blockedSteps.isEmpty)
    return true;
  return agenda.matchSignals || agenda.armScopes || !agenda.unneededFallbacks.isEmpty || isDeadlocked(state);
}

function isActive(state: State): boolean {
  return state.baseStatus !== "none" && state.baseStatus !== "pending" && !isTerminalStatus(state.baseStatus);
}
