// Starts that reuse a key: at the last valid moment, just after it, and right after a failure (IDEM-1). Only the model
// knows these moments.

import type { Deed } from "./deeds.ts";
import { ReferenceModel } from "./model/reference-model.ts";
import type { Plan } from "./plan.ts";
import { END_MS, SLICE_MS } from "./times.ts";

/** How long a key maps to its execution after success. */
const KEY_LIFE_MS = 600_000;

export function withLateStarts(plan: Plan): Plan {
  if (plan.clockJumps.length > 0 || !plan.deeds.some((deed) => deed.kind === "start" && deed.key !== undefined))
    return plan;
  const model = new ReferenceModel(plan);
  model.runUntil(END_MS);
  const late = plan.deeds.flatMap((deed) => lateStarts(deed, model));
  return { ...plan, deeds: [...plan.deeds, ...late.slice(0, 3)] };
}

function lateStarts(deed: Deed, model: ReferenceModel): readonly Deed[] {
  const execution = model.executions.get(deed.id);
  if (deed.kind !== "start" || deed.key === undefined || execution === undefined || !execution.hasEnded) return [];
  // A failed or cancelled execution releases its key at once.
  if (execution.base !== "completed")
    return [{ ...deed, id: `${deed.id}-again`, atMs: execution.endedAtMs + SLICE_MS }];
  const lastMs = execution.endedAtMs + KEY_LIFE_MS;
  if (lastMs > END_MS / 2) return [];
  return [
    { ...deed, id: `${deed.id}-late`, atMs: lastMs },
    { ...deed, id: `${deed.id}-too-late`, atMs: lastMs + SLICE_MS },
  ];
}
