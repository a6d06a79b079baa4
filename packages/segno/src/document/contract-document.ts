// Loads a contract from a file or from standard input: as a definition, or as a list of problems.

import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";

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
      /** The text of the contract, to show the positions of problems. Absent if it could not be read. */
      readonly text: string | undefined;
    };

/** With `cwd`, module paths are relative to that folder, instead of to the folder of the contract. */
export async function loadContractDocument(path: string, cwd?: string): Promise<LoadedContract> {
  const file = path === STANDARD_INPUT ? "<stdin>" : path;
  let content: Uint8Array | undefined;
  try {
    content = await readContent(path);
    const modules = cwd === undefined ? undefined : { folder: contractFolder(path), cwd };
    const definition = await loadDefinition(content, { file, ...(modules === undefined ? {} : { modules }) });
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

export function contractFolder(path: string): string {
  return path === STANDARD_INPUT ? process.cwd() : dirname(resolve(path));
}

async function readContent(path: string): Promise<Uint8Array> {
  if (path === STANDARD_INPUT) return readStandardInput(DOCUMENT_LIMITS.bytes);
  refuseLargeFile(path);
  return readContractFile(path);
}

/** The loader reads at most the limit, so only the file system knows the real size for the message. */
function refuseLargeFile(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= DOCUMENT_LIMITS.bytes) return;
  const message = `expected at most ${groupedDigits(DOCUMENT_LIMITS.bytes)} bytes (1 MiB), found ${groupedDigits(size)}`;
  throw new ContractError([{ code: "CONTRACT_TOO_LARGE", file, line: 1, column: 1, path: [], message }]);
}
