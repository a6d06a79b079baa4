// The tables of a SQLite file, as one connection sees them.

import type { Codec } from "../../store/codec.ts";
import type { Connection } from "./connection.ts";
import { ExecutionReader } from "./execution-reader.ts";
import { Housekeeping } from "./housekeeping.ts";
import { Inbox } from "./inbox.ts";
import { JournalWriter } from "./journal-writer.ts";
import { LogTable } from "./log-table.ts";
import { ProcessRows } from "./process-rows.ts";
import { Tail } from "./tail.ts";

export interface Tables {
  readonly connection: Connection;
  readonly reader: ExecutionReader;
  readonly writer: JournalWriter;
  readonly inbox: Inbox;
  readonly housekeeping: Housekeeping;
  readonly logs: LogTable;
  readonly processes: ProcessRows;
}

export function tablesOf(connection: Connection, codec: Codec): Tables {
  const tail = new Tail(connection);
  const writer = new JournalWriter(connection, codec, tail);
  return {
    connection,
    writer,
    reader: new ExecutionReader(connection, codec, tail),
    inbox: new Inbox(connection, codec),
    housekeeping: new Housekeeping(connection, writer, codec, tail),
    logs: new LogTable(connection),
    processes: new ProcessRows(connection),
  };
}
