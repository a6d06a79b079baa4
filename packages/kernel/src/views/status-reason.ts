import type { State } from "../state/state.ts";

/** The reason why an execution is parked, is being cancelled or was cancelled; undefined otherwise. */
export function statusReason({ hold, cancelling, baseStatus }: State): string | undefined {
  if (hold?.kind === "parked") return hold.reason;
  return baseStatus === "cancelling" || baseStatus === "cancelled" ? cancelling?.reason : undefined;
}
