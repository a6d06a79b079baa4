// Recognises a failure that a fix did not change, so that a loop of fixes stops early (CODE-7).

import { createHash } from "node:crypto";
import { stripVTControlCharacters } from "node:util";
import type { ConflictingFile } from "../model/merge-result.ts";

export type MergeFailure =
  | { readonly kind: "conflict"; readonly files: readonly ConflictingFile[] }
  | { readonly kind: "check-failed"; readonly command: string; readonly log: string };

const LINES_MAX = 20;

/**
 * The same for the same failure, whatever the times, numbers and temporary paths in its log are. A conflict is the same if the
 * same versions of the same files conflict.
 */
export function failureFingerprint(failure: MergeFailure): string {
  const facts =
    failure.kind === "conflict"
      ? [failure.kind, ...failure.files.map(({ path, stages = [] }) => JSON.stringify([path, ...stages])).toSorted()]
      : [failure.kind, failure.command, ...errorLines(failure.log)];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

/** The first lines that mention an error, or the last lines if none does. */
function errorLines(log: string): readonly string[] {
  const lines = log.split("\n").map(normalize).filter(Boolean);
  const errors = lines.filter((line) => /error|fail|not ok|expected|✗|×/iu.test(line));
  return errors.length > 0 ? errors.slice(0, LINES_MAX) : lines.slice(-LINES_MAX);
}

function normalize(line: string): string {
  return stripVTControlCharacters(line)
    .replaceAll(/\b[0-9a-f]{7,64}\b/gu, "#")
    .replaceAll(/\d+/gu, "0")
    .replaceAll(/\/\S*\/(?=[^/\s]+)/gu, "/")
    .trim();
}
