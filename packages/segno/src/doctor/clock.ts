// Whether times can be believed: steps that wait, retry or expire do so by the clock of this machine.

import { ok, problem, warning, type DoctorFinding } from "./finding.ts";

/** No clock that is right is before this. */
const EARLIEST_MS = Date.parse("2025-01-01T00:00:00Z");
/** No clock that is right is after this for a long time. */
const LATEST_MS = Date.parse("2100-01-01T00:00:00Z");
/** File systems and clocks of two machines differ so much. */
const TOLERANCE_MS = 5000;

export function checkTimeZone(asked: string | undefined, used: string | undefined): DoctorFinding {
  const remedy = "set TZ to one such as Europe/Rome";
  if (asked !== undefined && asked !== "" && !isZone(asked))
    return warning("time-zone", `TZ is not a time zone that Node.js knows; ${used ?? "UTC"} is used`, remedy);
  return used === undefined ? warning("time-zone", "none is known; UTC is used", remedy) : ok("time-zone", used);
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** `writtenAt` is when the journal was last written, if there is one. */
export function checkClock(nowMs: number, writtenAt: number | undefined): DoctorFinding {
  const now = new Date(nowMs).toISOString();
  const remedy = "set the clock, and let the system keep it (NTP)";
  if (nowMs < EARLIEST_MS || nowMs > LATEST_MS) return problem("clock", `the clock says ${now}`, remedy);
  if (writtenAt === undefined || writtenAt <= nowMs + TOLERANCE_MS) return ok("clock", now);
  const text = `the journal was written at ${new Date(writtenAt).toISOString()}, and the clock says ${now}: it was set back`;
  return warning("clock", text, `${remedy}; what waits for a time wakes late otherwise`);
}
