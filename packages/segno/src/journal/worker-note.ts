// A note beside the journal about how its worker was started: folder, secrets, slots, network access, modules. `segno run` reads it to
// see whether the worker would run the new execution with the options that were asked for (LEASE-1).
// The note counts only while its process exists. A program that opens the journal through the library writes no note.

import { randomUUID } from "node:crypto";
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { journalFile } from "./journal-options.ts";
import type { WorkOptions } from "./work-options.ts";

interface WorkerNote {
  readonly pid: number;
  readonly folder: string;
  readonly secrets?: string;
  readonly slots?: number;
  readonly allowPrivateNetwork?: boolean;
  readonly modules?: readonly string[];
}

const POLL_MS = 200;
/** Longer than any note: it has two paths. */
const NOTE_BYTES_MAX = 65_536;

/** Called before the engine opens, because other processes may read the note while the engine recovers executions. */
export function announce(options: WorkOptions): void {
  if (read(journalFile(options)) === undefined) write(options);
}

/** Writes the note again when this process becomes the owner, possibly after another process has ended. */
export function keepNote(engine: Engine, options: WorkOptions): void {
  if (engine.isOwner) return write(options);
  withdraw(options);
  const timer = setInterval(() => {
    if (!engine.isOwner) return;
    clearInterval(timer);
    write(options);
  }, POLL_MS).unref();
}

/** Throws JOURNAL_OWNED if the owner of the journal would run an execution with other options than these. */
export function requireSameWork(engine: Engine, options: WorkOptions): void {
  if (engine.isOwner) return;
  const note = read(journalFile(options));
  const differing = differences(note, options);
  const owner = `another process owns ${journalFile(options)} and would run this`;
  if (note !== undefined && note.folder !== process.cwd())
    throw new SegnoError("JOURNAL_OWNED", `${owner} in ${note.folder}, not in this folder; ${REMEDY}`);
  if (differing.length === 0) return;
  const words = differing.join(" and ");
  throw new SegnoError(
    "JOURNAL_OWNED",
    `${owner} without this ${words}: omit it if that process does not need it; ${REMEDY}`,
  );
}

const REMEDY = "to run it here, wait until that process has ended, or use another --db";

/** Lists the options that the owner was not started with. */
function differences(
  note: WorkerNote | undefined,
  { secrets, slots, allowPrivateNetwork, import: modules = [] }: WorkOptions,
): readonly string[] {
  return [
    ...(secrets === undefined || note?.secrets === resolve(secrets) ? [] : ["--secrets"]),
    ...(slots === undefined || note?.slots === slots ? [] : ["--slots"]),
    ...(allowPrivateNetwork !== true || note?.allowPrivateNetwork === true ? [] : ["--allow-private-network"]),
    ...(modules.every((module) => note?.modules?.includes(resolve(module)) === true) ? [] : ["--import"]),
  ];
}

function noteFile(journal: string): string {
  return `${journal}-worker`;
}

/** Writes to another name and renames it, so that readers find a complete note and a planted link is replaced, not followed. */
function write(options: WorkOptions): void {
  const { secrets, slots, allowPrivateNetwork, import: modules } = options;
  const note: WorkerNote = {
    pid: process.pid,
    folder: process.cwd(),
    ...(secrets === undefined ? {} : { secrets: resolve(secrets) }),
    ...(slots === undefined ? {} : { slots }),
    ...(allowPrivateNetwork === true ? { allowPrivateNetwork } : {}),
    ...(modules === undefined ? {} : { modules: modules.map((module) => resolve(module)) }),
  };
  const file = noteFile(journalFile(options));
  const fresh = `${file}-${randomUUID()}`;
  try {
    writeFileSync(fresh, `${JSON.stringify(note)}\n`, { flag: "wx", mode: 0o600 });
    renameSync(fresh, file);
  } catch {
    // Without a note, only the options of other commands are refused; nothing else depends on the note.
    rmSync(fresh, { force: true });
  }
}

/** Removes the announced note: another process became the owner. */
function withdraw(options: WorkOptions): void {
  const journal = journalFile(options);
  if (read(journal)?.pid === process.pid) rmSync(noteFile(journal), { force: true });
}

/** The folder is untrusted: a link in it may lead to a device, and a file may have any size. */
function read(journal: string): WorkerNote | undefined {
  try {
    const file = noteFile(journal);
    const stat = lstatSync(file);
    if (!stat.isFile() || stat.size > NOTE_BYTES_MAX) return undefined;
    const note = JSON.parse(readFileSync(file, "utf8")) as WorkerNote;
    return isThere(note.pid) ? note : undefined;
  } catch {
    return undefined;
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
