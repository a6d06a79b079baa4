// Why a command could not be started, as the outcome of its attempt.

import { statSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import { toFailure, type Outcome } from "@segno/kernel";
import { failedOutcome } from "./command-outcome.ts";

export interface SpawnRefusal {
  readonly error: unknown;
  readonly file: string;
  readonly cwd: string;
}

type SpawnVerdict = "not-found" | "not-executable" | "invalid";

/** What is not here, such as EAGAIN, EMFILE and ENOMEM, may be gone by the next try. */
const VERDICTS: ReadonlyMap<unknown, SpawnVerdict> = new Map<unknown, SpawnVerdict>([
  ["ENOENT", "not-found"],
  ["ENOTDIR", "not-found"],
  ["EACCES", "not-executable"],
  ["EPERM", "not-executable"],
  ["ENOEXEC", "not-executable"],
  ["EISDIR", "not-executable"],
  ["E2BIG", "invalid"],
  ["ENAMETOOLONG", "invalid"],
  ["ERR_INVALID_ARG_VALUE", "invalid"],
  ["ERR_INVALID_ARG_TYPE", "invalid"],
]);

export function outcomeOfRefusal({ error, file, cwd }: SpawnRefusal): Outcome {
  const verdict = VERDICTS.get((error as { code?: unknown } | null)?.code);
  if (verdict === undefined) return { kind: "failed", failure: toFailure(error, "transient") };
  // The system says the same of a missing folder as of a missing program.
  if (verdict !== "invalid" && !isFolder(cwd))
    return failedOutcome(
      "permanent",
      "COMMAND_INVALID",
      `the folder in which the command should run is not there: ${cwd}`,
    );
  return outcomeOfVerdict(verdict, file, cwd);
}

function outcomeOfVerdict(verdict: SpawnVerdict, file: string, cwd: string): Outcome {
  switch (verdict) {
    case "not-found":
      return failedOutcome("permanent", "COMMAND_NOT_FOUND", missing(file, cwd));
    case "not-executable":
      return failedOutcome("permanent", "COMMAND_NOT_EXECUTABLE", `\`${file}\` may not be executed`);
    case "invalid":
      return failedOutcome(
        "permanent",
        "COMMAND_INVALID",
        "arguments and environment are longer than the system takes",
      );
  }
}

function missing(file: string, cwd: string): string {
  if (/[\\/]/u.test(file) && tryStat(resolve(cwd, file)) !== undefined)
    return `\`${file}\` is there, but not the interpreter that its first line names`;
  return `there is no program \`${file}\``;
}

function isFolder(path: string): boolean {
  return tryStat(path)?.isDirectory() === true;
}

function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
