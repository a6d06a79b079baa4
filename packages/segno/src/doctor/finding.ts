// What a check found: all is well, it may become trouble, or something will not work.

export type Verdict = "ok" | "warning" | "problem";

export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly text: string;
  /** What to do about it, where there is something to do. */
  readonly remedy?: string;
}

export function ok(check: string, text: string): Finding {
  return { check, verdict: "ok", text };
}

export function warning(check: string, text: string, remedy: string): Finding {
  return { check, verdict: "warning", text, remedy };
}

export function problem(check: string, text: string, remedy: string): Finding {
  return { check, verdict: "problem", text, remedy };
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
