// What runs on the writer thread: a connection of its own and what writes with it, one request after the other. The calling
// side is in `writer-thread.ts`, which starts this file and imports nothing but types from it.
//
//   V1. Requests are carried out in the order in which they come, and each write is answered once, in that order.
//   V2. Nothing that a write throws ends the thread: it is the answer. The file is opened by the first write, so that one
//       that cannot be opened is a fault of that write, and the next one tries again. So is one that SQLite fails to read.

import { parentPort, workerData } from "node:worker_threads";
import { InvariantViolation } from "@segno/kernel";
import { PLAIN } from "../codec.ts";
import type { LogRows } from "../log-rows.ts";
import type { ProcessEntry } from "../process-table.ts";
import { StoreFault, type RefusedIds, type StoreFaultCode } from "../store-fault.ts";
import type { CommitBatch } from "../store.ts";
import { openConnection, type SqliteConnection, type ConnectionOptions } from "./connection.ts";
import { JournalWriter } from "./journal-writer.ts";
import { LogTable } from "./log-table.ts";
import { ProcessRows } from "./process-rows.ts";
import { isReadFault } from "./sqlite-fault.ts";

export interface WriterData {
  readonly file: string;
  readonly options: ConnectionOptions;
}

/** Bodies have passed through the codec already. */
export type WriteRequest =
  | { readonly kind: "commit"; readonly batch: CommitBatch }
  | { readonly kind: "append-logs"; readonly logs: readonly LogRows[] }
  | { readonly kind: "note-process"; readonly entry: ProcessEntry }
  | { readonly kind: "forget-process"; readonly marker: string };

export type WriterRequest = WriteRequest | { readonly kind: "close" };

/** What crosses a thread loses its class, so each kind of error says what it is made from. */
export type WriterAnswer =
  | { readonly kind: "durable" }
  | {
      readonly kind: "fault";
      readonly code: StoreFaultCode;
      readonly message: string;
      readonly refused: RefusedIds | undefined;
    }
  | { readonly kind: "violation"; readonly invariant: string; readonly message: string }
  | { readonly kind: "bug"; readonly error: unknown };

interface WriterTables {
  readonly connection: SqliteConnection;
  readonly journal: JournalWriter;
  readonly logs: LogTable;
  readonly processes: ProcessRows;
}

const { file, options } = workerData as WriterData;
let tables: WriterTables | undefined;

parentPort?.on("message", (request: WriterRequest) => {
  // A thread is no window and has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  if (request.kind !== "close") parentPort?.postMessage(answer(request));
  else close();
});

function answer(request: WriteRequest): WriterAnswer {
  try {
    write((tables ??= openTables()), request);
    return { kind: "durable" };
  } catch (error) {
    if (isReadFault(error)) closeTables();
    return answerTo(error);
  }
}

/** What SQLite read badly it keeps: the next write opens the file anew (R2). */
function closeTables(): void {
  try {
    tables?.connection.close();
  } catch {
    // It is not used any more.
  }
  tables = undefined;
}

function openTables(): WriterTables {
  const connection = openConnection(file, options);
  try {
    const [journal, logs] = [new JournalWriter(connection, PLAIN), new LogTable(connection)];
    return { connection, journal, logs, processes: new ProcessRows(connection) };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function write({ journal, logs, processes }: WriterTables, request: WriteRequest): void {
  switch (request.kind) {
    case "commit":
      return journal.commit(request.batch);
    case "append-logs":
      return logs.append(request.logs);
    case "note-process":
      return processes.note(request.entry);
    case "forget-process":
      return processes.forget(request.marker);
  }
}

function answerTo(error: unknown): WriterAnswer {
  if (error instanceof StoreFault) {
    const { code, message, refused } = error;
    return { kind: "fault", code: isReadFault(error) ? "STORE_IO" : code, message, refused };
  }
  if (error instanceof InvariantViolation)
    return { kind: "violation", invariant: error.invariant, message: error.message };
  return { kind: "bug", error };
}

/** Without its port the thread has nothing to wait for, and ends. */
function close(): void {
  tables?.connection.close();
  parentPort?.close();
}
