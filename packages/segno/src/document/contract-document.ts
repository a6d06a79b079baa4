// A contract on its way from a file to a definition, or to everything that is wrong with it.

import { statSync } from "node:fs";

import {
  groupedDigits,
  ContractError,
  DOCUMENT_LIMITS,
  loadDefinition,
  readContractFile,
  type LocatedProblem,
} from "@segno/contract";
import type { Definition } from "@segno/kernel";

import { readStandardInput, STANDARD_INPUT } from "./standard-input.ts";

export type LoadedContract =
  | { readonly kind: "definition"; readonly file: string; readonly definition: Definition }
  | {
      readonly kind: "problems";
      readonly file: string;
      readonly problems: readonly LocatedProblem[];
      /** What was read, for showing the place; nothing where nothing could be read. */
      readonly text: string | undefined;
    };

export async function loadContractDocument(path: string): Promise<LoadedContract> {
  const file = path === STANDARD_INPUT ? "<stdin>" : path;
  let content: Uint8Array | undefined;
  try {
    content = await readContent(path);
    const definition = await loadDefinition(content, { file });
    return { kind: "definition", file, definition };
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return {
      kind: "problems",
      file,
      problems: error.problems,
      text: content === undefined ? undefined : new TextDecoder().decode(content),
    };
  }
}

async function readContent(path: string): Promise<Uint8Array> {
  if (path === STANDARD_INPUT) return readStandardInput(DOCUMENT_LIMITS.bytes);
  refuseLargeFile(path);
  return readContractFile(path);
}

/** The loader sees only as much as it may read; here the real size can still be told. */
function refuseLargeFile(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= DOCUMENT_LIMITS.bytes) return;
  const message = `expected at most ${groupedDigits(DOCUMENT_LIMITS.bytes)} bytes (1 MiB), found ${groupedDigits(size)}`;
  throw new ContractError([{ code: "CONTRACT_TOO_LARGE", file, line: 1, column: 1, path: [], message }]);
}
