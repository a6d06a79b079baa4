// The findings that a check of a store can report (JOURNAL-4).

import type { STORE_CODES } from "../../errors/store-codes.ts";

/** The codes of findings. */
export type FindingCode = Extract<
  keyof typeof STORE_CODES,
  | "JOURNAL_DAMAGED"
  | "DEFINITION_DAMAGED"
  | "VALUE_DAMAGED"
  | "PROJECTION_WRONG"
  | "ROWS_ORPHANED"
  | "STORE_CORRUPT"
  | "STORE_VERSION"
  | "ARTIFACT_DAMAGED"
  | "DOCUMENT_DAMAGED"
>;

/** Damage that a check of a store has found. */
export interface Finding {
  readonly code: FindingCode;
  /** The expected value and the actual one. */
  readonly message: string;
}

export function finding(code: FindingCode, message: string): Finding {
  return { code, message };
}
