// The outcome of a command, or the error of an agent's process, that could not be started.

import { statSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import { SegnoError, toFailure, type Outcome, type TextFilter } from "@segno/kernel";
import { failedOutcome } from "./command-outcome.ts";

export interface SpawnErrorContext {
  readonly error: unknown;
  readonly file: string;
  readonly cwd: string;
  readonly maskText: TextFilter;
}

type SpawnProblem = "not-found" | "not-executable" | "invalid";

/** Codes that are not listed, such as EAGAIN, EMFILE and ENOMEM, are transient. */
const PROBLEMS: ReadonlyMap<unknown, SpawnProblem> = new Map<unknown, SpawnProblem>([
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

export function outcomeOfSpawnError({ error, file, cwd, maskText }: SpawnErrorContext): Outcome {
  const problem = PROBLEMS.get((error as { code?: unknown } | null)?.code);
  if (problem === undefined) return { kind: "failed", failure: toFailure(error, maskText, "transient") };
  // The system reports a missing working directory like a missing program.
  if (problem !== "invalid" && !isFolder(cwd))
    return failedOutcome(
      "permanent",
      "COMMAND_FOLDER_MISSING",
      `the working directory of the command does not exist, or is not a folder: ${cwd}`,
    );
  return outcomeOfProblem(problem, file, cwd);
}

/**
 * The same as a `SegnoError`, for an agent that owns the process. Transient errors of the operating
 * system, such as EAGAIN, get the code `PROCESS_NOT_STARTED`.
 */
export function spawnError(context: SpawnErrorContext): SegnoError {
  const outcome = outcomeOfSpawnError(context);
  const { error: cause, maskText } = context;
  if (outcome.kind !== "failed" || outcome.failure.class === "transient")
    return new SegnoError("PROCESS_NOT_STARTED", maskText(`the system did not start the process: ${String(cause)}`), {
      cause,
    });
  return new SegnoError(outcome.failure.code, maskText(outcome.failure.message), { cause });
}

function outcomeOfProblem(problem: SpawnProblem, file: string, cwd: string): Outcome {
  switch (problem) {
    case "not-found":
      return failedOutcome("permanent", "COMMAND_NOT_FOUND", notFoundMessage(file, cwd));
    case "not-executable":
      return failedOutcome("permanent", "COMMAND_NOT_EXECUTABLE", `\`${file}\` is not executable`);
    case "invalid":
      return failedOutcome(
        "permanent",
        "COMMAND_INVALID",
        "arguments and environment are longer than the system allows",
      );
  }
}

function notFoundMessage(file: string, cwd: string): string {
  if (/[\\/]/u.test(file) && tryStat(resolve(cwd, file)) !== undefined)
    return `\`${file}\` exists, but the interpreter in its first line does not`;
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
