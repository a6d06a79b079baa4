// Every code that Segno can utter, with what it means and what to do about it (docs/reference/errors.md is made from it).
//
// A code never changes its meaning. Codes of a definition's problems, of faults and of failed steps are one list, because
// people look them up in one place.

import { CONTRACT_CODES } from "./contract-codes.ts";
import { DEFINITION_CODES } from "./definition-codes.ts";
import { FACE_CODES } from "./face-codes.ts";
import { FAULT_CODES } from "./fault-codes.ts";
import { OUTCOME_CODES } from "./outcome-codes.ts";

export type ErrorCode =
  | keyof typeof DEFINITION_CODES
  | keyof typeof OUTCOME_CODES
  | keyof typeof CONTRACT_CODES
  | keyof typeof FAULT_CODES
  | keyof typeof FACE_CODES;

export interface CodeText {
  readonly meaning: string;
  readonly remedy: string;
}

export const CATALOGUE: Readonly<Record<ErrorCode, CodeText>> = Object.freeze({
  ...DEFINITION_CODES,
  ...OUTCOME_CODES,
  ...CONTRACT_CODES,
  ...FAULT_CODES,
  ...FACE_CODES,
});
