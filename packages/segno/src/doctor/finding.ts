// What a check found: all is well, it may become trouble, or something will not work.

export type FindingVerdict = "ok" | "warning" | "problem";

export interface DoctorFinding {
  readonly check: string;
  readonly verdict: FindingVerdict;
  readonly text: string;
  /** What to do about it, where there is something to do. */
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
