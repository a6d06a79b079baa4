// What a check of a store can find (JOURNAL-4).

import type { STORE_CODES } from "../../errors/store-codes.ts";

export type FindingCode = Extract<
  keyof typeof STORE_CODES,
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
