// The error codes of the kernel, with their meaning and their remedy. Each package declares its own codes; the command puts
// them together, and docs/reference/errors.md documents them as one list. A code never changes its meaning.

import { DEFINITION_CODES } from "./definition-codes.ts";
import { OUTCOME_CODES } from "./outcome-codes.ts";

export type KernelErrorCode = keyof typeof DEFINITION_CODES | keyof typeof OUTCOME_CODES;

export interface CodeText {
  readonly meaning: string;
  readonly remedy: string;
}

export const KERNEL_CODES: Readonly<Record<KernelErrorCode, CodeText>> = Object.freeze({
  ...DEFINITION_CODES,
  ...OUTCOME_CODES,
});
