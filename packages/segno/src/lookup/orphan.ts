// An orphaned execution is active according to its journal, but no process owns the journal, so its steps do not run.

import { inspectOwner } from "@segno/engine";
import type { ExecutionStatus } from "@segno/kernel";

import { journalFile, serverUrl, type JournalOptions } from "../journal/journal-options.ts";
import { ACTIVE_STATUSES } from "./active-statuses.ts";

/** Shown instead of the status in the journal. */
export const ORPHANED = "orphaned";

/** Reads the owner at most once for all executions that a command shows. */
export function orphanTest(options: JournalOptions): (status: ExecutionStatus | "none") => boolean {
  // A server is a process that runs executions.
  let isOwned: boolean | undefined = serverUrl(options) === undefined ? undefined : true;
  return (status) => {
    if (status === "none" || !ACTIVE_STATUSES.includes(status)) return false;
    isOwned ??= inspectOwner(journalFile(options)).isOwned;
    return !isOwned;
  };
}
