// How the process that works on a journal was started: its folder, its secrets, what it allows. It writes that beside the
// journal, so that a `run` whose execution it would carry out can see whether it runs as asked (LEASE-1).
//
// The note counts only while its process is there. A program that opened the journal by the library leaves none.

import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
}

const POLL_MS = 200;

/** Before the journal is opened: while its owner takes up what is unfinished, others may ask already. */
export function announce(options: WorkOptions): void {
  if (read(journalFile(options)) === undefined) write(options);
}

/** Written again when the process owns the journal, which may be when another one has ended. */
export function keepNote(engine: Engine, options: WorkOptions): void {
  if (engine.isOwner) return write(options);
  withdraw(options);
  const timer = setInterval(() => {
    if (!engine.isOwner) return;
    clearInterval(timer);
    write(options);
  }, POLL_MS).unref();
}

/** Refuses to leave an execution to a process that would run it otherwise than is asked for here. */
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
    `${owner} without this ${words}: leave it out if that process needs none; ${REMEDY}`,
  );
}

const REMEDY = "otherwise run it when that process has ended, or with another --db";

/** Options that the owner was not started with. */
function differences(
  note: WorkerNote | undefined,
  { secrets, slots, allowPrivateNetwork }: WorkOptions,
): readonly string[] {
  return [
    ...(secrets === undefined || note?.secrets === resolve(secrets) ? [] : ["--secrets"]),
    ...(slots === undefined || note?.slots === slots ? [] : ["--slots"]),
    ...(allowPrivateNetwork !== true || note?.allowPrivateNetwork === true ? [] : ["--allow-private-network"]),
  ];
}

function noteFile(journal: string): string {
  return `${journal}-worker`;
}

/** By another name first: whoever reads it finds a whole one, and a link that somebody put there is replaced, not followed. */
function write(options: WorkOptions): void {
  const { secrets, slots, allowPrivateNetwork } = options;
  const note: WorkerNote = {
    pid: process.pid,
    folder: process.cwd(),
    ...(secrets === undefined ? {} : { secrets: resolve(secrets) }),
    ...(slots === undefined ? {} : { slots }),
    ...(allowPrivateNetwork === true ? { allowPrivateNetwork } : {}),
  };
  const file = noteFile(journalFile(options));
  const fresh = `${file}-${randomUUID()}`;
  try {
    writeFileSync(fresh, `${JSON.stringify(note)}\n`, { flag: "wx", mode: 0o600 });
    renameSync(fresh, file);
  } catch {
    // Without a note others are refused what this process may have; nothing else depends on it.
    rmSync(fresh, { force: true });
  }
}

/** What was announced did not come true: another process was faster. */
function withdraw(options: WorkOptions): void {
  const journal = journalFile(options);
  if (read(journal)?.pid === process.pid) rmSync(noteFile(journal), { force: true });
}

function read(journal: string): WorkerNote | undefined {
  try {
    const note = JSON.parse(readFileSync(noteFile(journal), "utf8")) as WorkerNote;
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
