// Chooses the thread that commits: the calling thread, which is faster, or a writer thread, which keeps the event loop
// free.
//
// A round trip to the writer thread takes about 0.13 ms (measured on two cores). With a fast disk that is not worth it.
// If a commit takes milliseconds, timers and sockets would wait for the disk.

import type { StatementSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import type { Codec } from "../codec.ts";
import { StoreFault } from "../store-fault.ts";
import { openConnection, type SqliteConnection, type ConnectionOptions } from "./connection.ts";
import { hasWriterFile, workerStarter, WriterThread } from "./writer-thread.ts";

/** `auto` measures a commit when the store is opened, and uses the thread if the disk is slow. */
export type WriterMode = "auto" | "main" | "thread";

export interface WriterOptions extends ConnectionOptions {
  readonly codec?: Codec;
  /** The default is `auto` for full durability and `main` for relaxed. A read-only store has no thread. */
  readonly writer?: WriterMode;
}

/** Dependencies of the choice; tests replace them. */
export interface WriterParts {
  readonly commitCostMs: (file: string, options: ConnectionOptions) => number;
  readonly workerStarter: (file: string, options: ConnectionOptions) => () => Worker;
}

export const WRITER_PARTS: WriterParts = { commitCostMs, workerStarter };

/** A commit that takes longer than this is slow. */
const SLOW_MS = 2;
/** On a busy disk single commits are slow, but the fastest of several is not. */
const ROUNDS = 3;
/** A round is two commits that leave no data. The value rises, because SQLite does not write an unchanged page. */
const PROBES: readonly string[] = [
  "INSERT INTO meta (key, value) VALUES ('probe', 1) ON CONFLICT DO UPDATE SET value = value + 1",
  "DELETE FROM meta WHERE key = 'probe'",
];

/** The writer thread, if the store should have one. */
export function writerThreadFor(file: string, options: WriterOptions, parts: WriterParts): WriterThread | undefined {
  const { codec, writer = options.durability === "relaxed" ? "main" : "auto", ...connection } = options;
  if (options.readOnly === true || writer === "main") return undefined;
  if (writer === "auto" && !shouldUseThread(() => parts.commitCostMs(file, connection))) return undefined;
  return new WriterThread(parts.workerStarter(file, connection), codec);
}

/** A program bundled into one file has no worker file, and a program under `--permission` may not start a worker. */
function shouldUseThread(measureMs: () => number): boolean {
  const isAllowed = process.permission?.has("worker") ?? true;
  return isAllowed && hasWriterFile() && measureMs() > SLOW_MS;
}

/**
 * The cost of a small durable commit: the fastest of several, with no more rounds than needed to know that the disk is
 * not slow. It does not wait for other writers. If it cannot be measured (the disk is full, others write), the disk
 * counts as fast.
 */
function commitCostMs(file: string, options: ConnectionOptions): number {
  const connection = openConnection(file, { ...options, busyTimeoutMs: 0 });
  try {
    const probes = PROBES.map((sql) => connection.prepare(sql));
    let fastestMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS && fastestMs > SLOW_MS; round++)
      for (const probe of probes) fastestMs = Math.min(fastestMs, durationMs(connection, probe));
    return fastestMs;
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    return 0;
  } finally {
    connection.close();
  }
}

function durationMs(connection: SqliteConnection, statement: StatementSync): number {
  const beganAtMs = performance.now();
  connection.run(() => statement.run());
  return performance.now() - beganAtMs;
}
