// The error codes of the engine, with their meaning and their remedy. They name no command; the command adds its own remedies.

import "@segno/contract/node-version";
import type { CodeText } from "@segno/kernel";
import { RUNNER_CODES } from "./runner-codes.ts";
import { RUNTIME_CODES } from "./runtime-codes.ts";
import { STORE_CODES } from "./store-codes.ts";

export type EngineErrorCode = keyof typeof STORE_CODES | keyof typeof RUNNER_CODES | keyof typeof RUNTIME_CODES;

export const ENGINE_CODES: Readonly<Record<EngineErrorCode, CodeText>> = Object.freeze({
  ...STORE_CODES,
  ...RUNNER_CODES,
  ...RUNTIME_CODES,
});
