// Reads an action from outside: from a file, a queue or another process.

import { isJsonObject, type Json } from "@segno/kernel";
import { action, type Action, type ActionFields, type IdAndClock } from "@segno/planner";

/**
 * The action is rebuilt and checked field by field, and never trusted (PLAN-22). Throws a `ValidationError` with all
 * problems.
 */
export function readAction(given: unknown): Action {
  return rebuiltAction(isJsonObject(given as Json) ? withIdentity(given as object) : given);
}

/**
 * The identity of an action is never generated here: if a field is missing, the factory gets null and refuses the
 * action.
 */
function withIdentity(given: { readonly actionId?: unknown; readonly createdAt?: unknown }): object {
  return { ...given, actionId: given.actionId ?? null, createdAt: given.createdAt ?? null };
}

/** Rebuilds an action from complete fields. */
export function rebuiltAction(fields: unknown): Action {
  return action(fields as ActionFields, NO_SOURCES);
}

const NO_SOURCES: IdAndClock = { newId: () => "", now: () => 0 };
