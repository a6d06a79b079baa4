// The result of a check: ok, a warning, or a problem.

export type FindingVerdict = "ok" | "warning" | "problem";

export interface DoctorFinding {
  readonly check: string;
  readonly verdict: FindingVerdict;
  readonly text: string;
  /** The remedy, if there is one. */
  readonly remedy?: string;
}

export function ok(check: string, text: string): DoctorFinding {
  return { check, verdict: "ok", text };
}

export function warning(check: string, text: string, remedy: string): DoctorFinding {
  return { check, verdict: "warning", text, remedy };
}

export function problem(check: string, text: string, remedy: string): DoctorFinding {
  return { check, verdict: "problem", text, remedy };
}
