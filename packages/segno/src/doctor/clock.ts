// Checks the clock: waits, retries and timeouts depend on the clock of this machine.

import { ok, problem, warning, type DoctorFinding } from "./finding.ts";

/** A correct clock is after this time. */
const EARLIEST_MS = Date.parse("2025-01-01T00:00:00Z");
/** A correct clock is before this time for many years. */
const LATEST_MS = Date.parse("2100-01-01T00:00:00Z");
/** Clocks of file systems and machines may differ by this much. */
const TOLERANCE_MS = 5000;

export function checkTimeZone(asked: string | undefined, used: string | undefined): DoctorFinding {
  const remedy = "set TZ to a time zone such as Europe/Rome";
  if (asked !== undefined && asked !== "" && !isZone(asked))
    return warning("time-zone", `TZ is not a time zone that Node.js knows; ${used ?? "UTC"} is used`, remedy);
  return used === undefined ? warning("time-zone", "unknown; UTC is used", remedy) : ok("time-zone", used);
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** `writtenAt` is the time of the last write to the journal, if there is a journal. */
export function checkClock(nowMs: number, writtenAt: number | undefined): DoctorFinding {
  const now = new Date(nowMs).toISOString();
  const remedy = "set the clock, and synchronise it (NTP)";
  if (nowMs < EARLIEST_MS || nowMs > LATEST_MS) return problem("clock", `the clock says ${now}`, remedy);
  if (writtenAt === undefined || writtenAt <= nowMs + TOLERANCE_MS) return ok("clock", now);
  const text = `the journal was written at ${new Date(writtenAt).toISOString()}, and the clock says ${now}: it was set back`;
  return warning("clock", text, `${remedy}; otherwise timers fire late`);
}
