// Every error code of Segno, with its meaning and its remedy: the codes of all packages in one list
// (docs/reference/errors.md is generated from it, and `segno explain` prints it).

import { CODE_CODES, type CodeErrorCode } from "@segno/code/error-codes";
import { CONTRACT_CODES, type ContractErrorCode } from "@segno/contract/error-codes";
import { ENGINE_CODES, type EngineErrorCode } from "@segno/engine/error-codes";
import { KERNEL_CODES, type CodeText, type KernelErrorCode } from "@segno/kernel";
import { PLANNER_CODES, type PlannerErrorCode } from "@segno/planner/error-codes";
import { SERVER_CODES, type ServerErrorCode } from "@segno/server/error-codes";

import { COMMAND_CODES } from "./command-codes.ts";
import { COMMAND_REMEDIES } from "./command-remedies.ts";
import { FACE_CODES } from "./face-codes.ts";

/** All error codes of Segno. A code never changes its meaning. */
export type ErrorCode =
  | KernelErrorCode
  | PlannerErrorCode
  | ContractErrorCode
  | EngineErrorCode
  | CodeErrorCode
  | ServerErrorCode
  | keyof typeof FACE_CODES
  | keyof typeof COMMAND_CODES;

export const CATALOGUE: Readonly<Record<ErrorCode, CodeText>> = Object.freeze(
  withCommandRemedies({
    ...KERNEL_CODES,
    ...PLANNER_CODES,
    ...CONTRACT_CODES,
    ...ENGINE_CODES,
    ...CODE_CODES,
    ...SERVER_CODES,
    ...FACE_CODES,
    ...COMMAND_CODES,
  }),
);

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(CATALOGUE, code);
}

function withCommandRemedies(codes: Readonly<Record<ErrorCode, CodeText>>): Record<ErrorCode, CodeText> {
  const all: Record<ErrorCode, CodeText> = { ...codes };
  for (const [code, remedy] of Object.entries(COMMAND_REMEDIES) as [ErrorCode, string][])
    all[code] = { ...all[code], remedy: `${all[code].remedy} ${remedy}` };
  return all;
}
