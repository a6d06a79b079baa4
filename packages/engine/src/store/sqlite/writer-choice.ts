// Where a store commits: on the calling thread, which is faster, or on a thread of its own, which leaves the event loop free.
//
// Handing a batch over and being told takes some 0.13 ms (measured on two cores). As long as the disk is fast that is not
// worth it; when a commit takes milliseconds, timers and sockets would wait for the disk.

import type { StatementSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import type { Codec } from "../codec.ts";
import { StoreFault } from "../store-fault.ts";
import { openConnection, type SqliteConnection, type ConnectionOptions } from "./connection.ts";
import { hasWriterFile, workerStarter, WriterThread } from "./writer-thread.ts";

/** `auto` measures a commit when the store is opened, and takes the thread where the disk is slow. */
export type WriterPlace = "auto" | "main" | "thread";

export interface WriterOptions extends ConnectionOptions {
  readonly codec?: Codec;
  /** `auto` for full durability, `main` for relaxed. Who only reads has no thread. */
  readonly writer?: WriterPlace;
}

/** What the choice is made with, and carried out with; tests bring their own. */
export interface WriterParts {
  readonly commitCostMs: (file: string, options: ConnectionOptions) => number;
  readonly workerStarter: (file: string, options: ConnectionOptions) => () => Worker;
}

export const WRITER_PARTS: WriterParts = { commitCostMs, workerStarter };

/** A commit that takes longer than this is slow. */
const SLOW_MS = 2;
/** On a disk that is busy with others single commits are slow, the fastest of some is not. */
const ROUNDS = 3;
/** A round is two commits, of which nothing stays. The value rises: SQLite does not write a page that is what it was. */
const PROBES: readonly string[] = [
  "INSERT INTO meta (key, value) VALUES ('probe', 1) ON CONFLICT DO UPDATE SET value = value + 1",
  "DELETE FROM meta WHERE key = 'probe'",
];

/** The thread for a store that is to have one. */
export function writerThreadFor(file: string, options: WriterOptions, parts: WriterParts): WriterThread | undefined {
  const { codec, writer = options.durability === "relaxed" ? "main" : "auto", ...connection } = options;
  if (options.readOnly === true || writer === "main") return undefined;
  if (writer === "auto" && !isWorthIt(() => parts.commitCostMs(file, connection))) return undefined;
  return new WriterThread(parts.workerStarter(file, connection), codec);
}

/** A program that was bundled into one file has no worker, and one under `--permission` may start none. */
function isWorthIt(measureMs: () => number): boolean {
  const isAllowed = process.permission?.has("worker") ?? true;
  return isAllowed && hasWriterFile() && measureMs() > SLOW_MS;
}

/**
 * What a small durable commit costs: the fastest of some, and no more of them than it takes to know that it is not slow.
 * Whoever is writing meanwhile is not waited for. What cannot be measured (the disk is full, others write) counts as fast.
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
