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

export function writeFirstFiles(folder: string, name: string, template: WorkflowTemplate): WrittenFiles {
  const texts = templateFiles(name, template);
  const created: string[] = [];
  const folders: (readonly [inmost: string, first: string])[] = [];
  try {
    makeFolder(folder, folders);
    for (const [path, text] of texts) {
      const file = join(folder, path);
      makeFolder(dirname(file), folders);
      createFile(file, insertName(text, name));
      created.push(file);
    }
    const ignored = template.isProject === true ? ["node_modules/", IGNORED] : [IGNORED];
    // Every line is added, also after one that was there already.
    const isIgnoreChanged = ignored.map((line) => ignore(join(folder, IGNORE_FILE), line)).includes(true);
    return { files: texts.map(([path]) => path), isIgnoreChanged };
  } catch (error) {
    for (const file of created) rmSync(file, { force: true });
    for (const [inmost, first] of folders.toReversed()) removeFolders(inmost, first);
    throw toUsageError(error, folder);
  }
}

/** The paths of the files in the folder, with their texts. */
function templateFiles(name: string, { files, isProject }: WorkflowTemplate): readonly (readonly [string, string])[] {
  return Object.entries(files).map(([key, text]) => [isProject === true ? key : `${name}${key}`, text]);
}

function makeFolder(folder: string, made: (readonly [inmost: string, first: string])[]): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first !== undefined) made.push([resolve(folder), resolve(first)]);
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

/** Adds a line for a folder to `.gitignore`, unless the folder is ignored already; returns whether it did. */
function ignore(file: string, line: string): boolean {
  const text = readText(file);
  const isIgnored = text.split("\n").some((each) => each.trim().replaceAll(/^\/|\/$/gu, "") === line.slice(0, -1));
  if (isIgnored) return false;
  appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
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
