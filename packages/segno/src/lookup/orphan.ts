// An execution that is under way by its journal while no process owns that: nothing of it goes on until one does.

import { inspectOwner } from "@segno/engine";
import type { ExecutionStatus } from "@segno/kernel";

import { journalFile, type JournalOptions } from "../journal/journal-options.ts";
import { ACTIVE_STATUSES } from "./active-statuses.ts";

/** Instead of its status, which says what the journal says. */
export const ORPHANED = "orphaned";

/** Asked once for all that a command shows; a file that cannot be looked at is nobody's business here. */
export function orphanTest(options: JournalOptions): (status: ExecutionStatus | "none") => boolean {
  let isOwned: boolean | undefined;
  return (status) => {
    if (status === "none" || !ACTIVE_STATUSES.includes(status)) return false;
    isOwned ??= inspectOwner(journalFile(options)).isOwned;
    return !isOwned;
  };
}
