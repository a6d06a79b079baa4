// Runs on the writer thread: opens its own connection and executes one write request after the other. The calling side
// is in `writer-thread.ts`, which starts this file and imports only types from it.
//
//   V1. Requests run in order of arrival, and each write is answered once, in that order.
//   V2. An error of a write is its answer and does not end the thread. The first write opens the file, so a failure to
//       open it is a fault of that write, and the next write tries again. The same holds after SQLite failed to read.

import { parentPort, workerData } from "node:worker_threads";
import { InvariantViolation } from "@segno/kernel";
import { PLAIN } from "../codec.ts";
import type { LogRows } from "../log-rows.ts";
import type { ProcessEntry } from "../process-records.ts";
import { StoreFault, type RefusedIds, type StoreFaultCode } from "../store-fault.ts";
import type { CommitBatch } from "../store.ts";
import { openConnection, type SqliteConnection, type ConnectionOptions } from "./connection.ts";
import { DocumentRows, type DocumentWrite } from "./document-rows.ts";
import { JournalWriter } from "./journal-writer.ts";
import { LogTable } from "./log-table.ts";
import { ProcessRows } from "./process-rows.ts";
import { isReadFault } from "./sqlite-fault.ts";

export interface WriterData {
  readonly file: string;
  readonly options: ConnectionOptions;
}

/** Bodies are already encoded. */
export type WriteRequest =
  | { readonly kind: "commit"; readonly batch: CommitBatch }
  | { readonly kind: "append-logs"; readonly logs: readonly LogRows[] }
  | { readonly kind: "note-process"; readonly entry: ProcessEntry }
  | { readonly kind: "forget-process"; readonly marker: string }
  | DocumentWrite;

export type WriterRequest = WriteRequest | { readonly kind: "close" };

/** Errors lose their class between threads, so each kind of error carries the data to rebuild it. */
export type WriterReply =
  /** `hasEffect` is false if the write of a document changed nothing. */
  | { readonly kind: "durable"; readonly hasEffect: boolean }
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
  readonly documents: DocumentRows;
}

const { file, options } = workerData as WriterData;
let tables: WriterTables | undefined;

parentPort?.on("message", (request: WriterRequest) => {
  // A thread has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  if (request.kind !== "close") parentPort?.postMessage(execute(request));
  else close();
});

function execute(request: WriteRequest): WriterReply {
  try {
    return { kind: "durable", hasEffect: write((tables ??= openTables()), request) };
  } catch (error) {
    if (isReadFault(error)) closeTables();
    return errorReply(error);
  }
}

/** SQLite caches a page that it read badly, so the next write opens the file again (R2). */
function closeTables(): void {
  try {
    tables?.connection.close();
  } catch {
    // The connection is not used any more.
  }
  tables = undefined;
}

function openTables(): WriterTables {
  const connection = openConnection(file, options);
  try {
    const [journal, logs] = [new JournalWriter(connection, PLAIN), new LogTable(connection)];
    const [processes, documents] = [new ProcessRows(connection), new DocumentRows(connection)];
    return { connection, journal, logs, processes, documents };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function write({ journal, logs, processes, documents }: WriterTables, request: WriteRequest): boolean {
  switch (request.kind) {
    case "commit":
      journal.commit(request.batch);
      return true;
    case "append-logs":
      logs.append(request.logs);
      return true;
    case "note-process":
      processes.add(request.entry);
      return true;
    case "forget-process":
      processes.forget(request.marker);
      return true;
    case "put-document":
    case "remove-document":
      return documents.write(request);
  }
}

function errorReply(error: unknown): WriterReply {
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
