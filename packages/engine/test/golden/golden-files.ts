// The location of golden files: a folder for each release, and `next` for the unreleased format. Only `next` is ever
// rewritten.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const KEPT = join(import.meta.dirname, "kept");
export const NEXT: string = join(KEPT, "next");

/** The message of a test if `next` differs from the output of the current code. */
export const CHANGED =
  "what is stored has changed. If that was not intended, undo it. If it was: `npm run golden`, look at the difference, " +
  "and write a decision record (docs/decisions/0008-golden-journals.md says when)";

export const journalFile = (folder: string, name: string): string => join(folder, `${name}.jsonl`);
export const viewFile = (folder: string, name: string): string => join(folder, `${name}.json`);
export const databaseFile = (folder: string): string => join(folder, "store.db");

export function keptFolders(): readonly string[] {
  return readdirSync(KEPT)
    .toSorted()
    .map((name) => join(KEPT, name));
}

export function journalNames(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => file.slice(0, -".jsonl".length))
    .toSorted();
}

export function readGolden(file: string): string {
  return readFileSync(file, "utf8");
}
