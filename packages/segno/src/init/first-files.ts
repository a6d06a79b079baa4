// Writes the files of a first workflow to a folder.
//   F1. Existing files are not overwritten. Only `.gitignore` gets a line at its end if it lacks that line.
//   F2. All or nothing: after a failure, files that were written and folders that were created are removed again.

import { appendFileSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { WholeFile } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import type { WorkflowTemplate } from "./workflow-template.ts";
import { yamlName } from "./workflow-name.ts";

const IGNORE_FILE = ".gitignore";
const IGNORED = ".segno/";
/** Readable and writable for everyone whom the umask allows. */
const READABLE = 0o666;

export interface WrittenFiles {
  /** File names in the folder, the contract first. */
  readonly files: readonly string[];
  /** Whether the line was added to `.gitignore`. */
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

/** Removes created folders from the inside out. A folder that is in use by now stays. */
function removeFolders(inmost: string, first: string): void {
  try {
    for (let folder = inmost; folder.startsWith(first); folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // The folder is not empty. The earlier failure is the one to report.
  }
}

/** As the workflow's name it has to be a string in YAML; elsewhere it is part of a longer word. */
function insertName(text: string, name: string): string {
  return text.replace(/^name: NAME$/mu, () => `name: ${yamlName(name)}`).replaceAll("NAME", () => name);
}

/** Does not follow a link either, even a dangling one (F1). */
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
    return new SegnoError("FILE_EXISTS", `${path} already exists and was not changed; choose another name or folder`);
  return new SegnoError("FILE_UNWRITABLE", `${path} cannot be written: ${message}`, { cause: error });
}
