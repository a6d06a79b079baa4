// The files of a first workflow, on their way to a folder.
//
//   F1. Nothing that is there is written over. Only `.gitignore` gets a line at its end, where it lacks it.
//   F2. All or nothing: what was written before something failed is taken away again, with the folders that were made for it.

import { appendFileSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { WholeFile } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import type { WorkflowTemplate } from "./workflow-template.ts";
import { yamlName } from "./workflow-name.ts";

const IGNORE_FILE = ".gitignore";
const IGNORED = ".segno/";
/** By everybody whom the umask lets. */
const READABLE = 0o666;

export interface WrittenFiles {
  /** Names in the folder, the contract first. */
  readonly files: readonly string[];
  /** Whether the line was missing. */
  readonly isIgnoreChanged: boolean;
}

export function writeFirstFiles(folder: string, name: string, { files }: WorkflowTemplate): WrittenFiles {
  const created: string[] = [];
  let made: string | undefined;
  try {
    made = mkdirSync(folder, { recursive: true });
    for (const [exitState, text] of Object.entries(files)) {
      const file = join(folder, `${name}${exitState}`);
      createFile(file, insertName(text, name));
      created.push(file);
    }
    const isIgnoreChanged = ignoreJournal(join(folder, IGNORE_FILE));
    return { files: Object.keys(files).map((exitState) => `${name}${exitState}`), isIgnoreChanged };
  } catch (error) {
    for (const file of created) rmSync(file, { force: true });
    if (made !== undefined) removeFolders(resolve(folder), resolve(made));
    throw toUsageError(error, folder);
  }
}

/** From the inmost outwards, up to the first that was made; one that somebody else uses by now stays. */
function removeFolders(inmost: string, first: string): void {
  try {
    for (let folder = inmost; folder.startsWith(first); folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // It is not empty. What failed before is what matters.
  }
}

/** Where it is the workflow's name it has to be text for YAML; elsewhere it is a part of a longer word. */
function insertName(text: string, name: string): string {
  return text.replace(/^name: NAME$/mu, () => `name: ${yamlName(name)}`).replaceAll("NAME", () => name);
}

/** Not through a link either, even if it leads nowhere (F1). */
function createFile(file: string, text: string): void {
  const whole = new WholeFile(file, READABLE);
  try {
    writeFileSync(whole.partial, text);
    whole.publish();
  } finally {
    whole.discard();
  }
}

function ignoreJournal(file: string): boolean {
  const text = readText(file);
  if (/^\/?\.segno\/?\s*$/mu.test(text)) return false;
  appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${IGNORED}\n`);
  return true;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function toUsageError(error: unknown, folder: string): unknown {
  const { code, path = folder, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (code === "EEXIST")
    return new SegnoError(
      "FILE_EXISTS",
      `${path} is there already and is left as it is; choose another name or folder`,
    );
  return new SegnoError("FILE_UNWRITABLE", `${path} cannot be written: ${message}`, { cause: error });
}
