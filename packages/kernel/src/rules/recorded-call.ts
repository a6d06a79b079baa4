// Recorded calls: an attempt calls something, and its journal records the value (STATE-14).
//
//   RC1. A call counts under the epoch of its attempt, while the attempt runs or is being stopped (LEASE-2). What was done
//        until then need not be done again.
//   RC2. A call is recorded once, by its key or its name. The same call may arrive twice: its commit failed, but is in the store all the same.

import type { Decision } from "./decision.ts";
import { DecisionBuilder, ignore } from "./decision-builder.ts";
import type { Happening } from "./happening.ts";
import { CANCELLING, RUNNING } from "../state/phase.ts";
import { isScope } from "../state/step-position.ts";
import type { State } from "../state/state.ts";

export function decideRecorded(state: State, happening: Happening & { kind: "recorded" }): Decision {
  const { at, step, epoch, name, key, startedAt, value } = happening;
  const phase = state.columns.phase[step];
  if (state.columns.epoch[step] !== epoch || (phase !== RUNNING && phase !== CANCELLING) || isScope(state, step))
    return ignore(state, "stale");
  const builder = new DecisionBuilder(state, at);
  if (state.recordedCalls.get(step)?.has(key ?? name) !== true)
    builder.emit({ kind: "step.recorded", step, epoch, name, ...(key === undefined ? {} : { key }), startedAt, value });
  return builder.finish();
}
