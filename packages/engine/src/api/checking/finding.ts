// What a check of a store can find (JOURNAL-4).

import type { ErrorCode } from "@segno/kernel";

export type FindingCode = Extract<
  ErrorCode,
  | "JOURNAL_DAMAGED"
  | "DEFINITION_DAMAGED"
  | "VALUE_DAMAGED"
  | "PROJECTION_WRONG"
  | "ROWS_ORPHANED"
  | "STORE_CORRUPT"
  | "STORE_VERSION"
>;

export interface Finding {
  readonly code: FindingCode;
  /** What was expected, and what came. */
  readonly message: string;
}

export function finding(code: FindingCode, message: string): Finding {
  return { code, message };
}
