// The parts of a state that its journal must reproduce (JOURNAL-2), as one comparable text.

import { hashJson } from "../../src/journal/block-encoding.ts";
import {
  INLINE_BYTES_MAX,
  toSnapshot,
  stepCount,
  stepSnapshot,
  type Json,
  type State,
  type StepStatus,
} from "@segno/kernel";

/** The phase that the journal records: `ready` and `queued` are derived from it, and count as `waiting`. */
export function phaseName(state: State, step: number): StepStatus {
  const { status } = stepSnapshot(state, step);
  return status === "ready" || status === "queued" ? "waiting" : status;
}

export function stateImage(state: State): string {
  const { columns, signals } = state;
  return JSON.stringify(
    [
      toSnapshot(state),
      state.hold,
      state.cancelling,
      state.deadline,
      [...columns.epoch.subarray(0, stepCount(state))],
      [...state.calls].toSorted(([a], [b]) => a - b).map(([step]) => step),
      [...state.losses],
      state.compensable,
      [...state.undoes],
      [...signals.seen],
      [...state.seenVotes],
      [...signals.pending.keys()],
      [...signals.waiting].map(([name, steps]) => [name, [...steps]]),
      [...state.counts],
    ],
    byReference,
  );
}

/** The journal holds large values by hash; the live state may have them in memory. */
function byReference(_: string, field: unknown): unknown {
  if (typeof field !== "object" || field === null || !("kind" in field) || field.kind !== "inline") return field;
  const { json } = field as unknown as { readonly json: Json };
  const bytes = typeof json === "number" || json === null ? 0 : Buffer.byteLength(JSON.stringify(json));
  return bytes > INLINE_BYTES_MAX ? { kind: "stored", hash: hashJson(json), bytes } : field;
}
