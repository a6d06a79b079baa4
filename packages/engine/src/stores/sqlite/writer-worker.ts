// What runs on the writer thread: a connection and a journal writer of its own, one batch after the other. The calling side
// is in `writer-thread.ts`, which starts this file and imports nothing but types from it.
//
//   V1. Requests are carried out in the order in which they come, and each commit is answered once, in that order.
//   V2. Nothing that a commit throws ends the thread: it is the answer. The file is opened by the first commit, so that one
//       that cannot be opened is a fault of that commit, and the next one tries again.

import { parentPort, workerData } from "node:worker_threads";
import { InvariantViolation } from "@segno/kernel";
import { PLAIN } from "../../store/codec.ts";
import { StoreFault, type Refused, type StoreFaultCode } from "../../store/store-fault.ts";
import type { Batch } from "../../store/store.ts";
import { openConnection, type Connection, type ConnectionOptions } from "./connection.ts";
import { JournalWriter } from "./journal-writer.ts";

export interface WriterData {
  readonly file: string;
  readonly options: ConnectionOptions;
}

/** Bodies have passed through the codec already. */
export type WriterRequest = { readonly kind: "commit"; readonly batch: Batch } | { readonly kind: "close" };

/** What crosses a thread loses its class, so each kind of error says what it is made from. */
export type WriterAnswer =
  | { readonly kind: "durable" }
  | {
      readonly kind: "fault";
      readonly code: StoreFaultCode;
      readonly message: string;
      readonly refused: Refused | undefined;
    }
  | { readonly kind: "violation"; readonly invariant: string; readonly message: string }
  | { readonly kind: "bug"; readonly error: unknown };

const { file, options } = workerData as WriterData;
let connection: Connection | undefined;
let writer: JournalWriter | undefined;

parentPort?.on("message", (request: WriterRequest) => {
  // A thread is no window and has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  if (request.kind === "commit") parentPort?.postMessage(commit(request.batch));
  else close();
});

function commit(batch: Batch): WriterAnswer {
  try {
    connection ??= openConnection(file, options);
    writer ??= new JournalWriter(connection, PLAIN);
    writer.commit(batch);
    return { kind: "durable" };
  } catch (error) {
    return answerTo(error);
  }
}

function answerTo(error: unknown): WriterAnswer {
  if (error instanceof StoreFault) {
    const { code, message, refused } = error;
    return { kind: "fault", code, message, refused };
  }
  if (error instanceof InvariantViolation)
    return { kind: "violation", invariant: error.invariant, message: error.message };
  return { kind: "bug", error };
}

/** Without its port the thread has nothing to wait for, and ends. */
function close(): void {
  connection?.close();
  parentPort?.close();
}
