// An action that comes from elsewhere, as a file, a queue or another process gives it.

import { isJsonObject, type Json } from "@segno/kernel";
import { action, type Action, type ActionFields, type IdAndClock } from "@segno/planner";

/** Rebuilt and checked field by field, never trusted as it came (PLAN-22). Throws a `ValidationError` with all problems. */
export function readAction(given: unknown): Action {
  return rebuiltAction(isJsonObject(given as Json) ? withIdentity(given as object) : given);
}

/** What makes an action this one and no other is never made up: where it is missing, the factory finds null and refuses it. */
function withIdentity(given: { readonly actionId?: unknown; readonly createdAt?: unknown }): object {
  return { ...given, actionId: given.actionId ?? null, createdAt: given.createdAt ?? null };
}

/** Of fields that are all there. */
export function rebuiltAction(fields: unknown): Action {
  return action(fields as ActionFields, NO_SOURCES);
}

const NO_SOURCES: IdAndClock = { newId: () => "", now: () => 0 };
