// Reads the log lines of an execution as they come.
//
//   L1. The lines of an execution keep their order, so after a lost connection the lines that have come are left out.

import { bodyLines } from "../http/body-lines.ts";
import { isTransient, type Connection } from "../http/connection.ts";
import { Reconnection } from "../http/reconnection.ts";
import { isAborted } from "../http/sleep.ts";
import type { ApiLogLine } from "../model/api-inspection.ts";
import type { ApiLogsOptions } from "../model/call-options.ts";
import { jsonLines } from "./json-lines.ts";
import { executionPath } from "./paths.ts";

export async function* followLogs(
  connection: Connection,
  id: string,
  options: ApiLogsOptions,
  reconnectMs: number | undefined,
): AsyncGenerator<ApiLogLine> {
  const { follow = false, signal } = options;
  const reconnection = new Reconnection(reconnectMs);
  let count = 0;
  while (!isAborted(signal)) {
    try {
      let place = 0;
      for await (const line of oneReading(connection, id, options)) {
        if (place++ < count) continue;
        reconnection.reset();
        count++;
        yield line;
      }
      return;
    } catch (error) {
      if (isAborted(signal)) return;
      if (!follow || !isTransient(error)) throw error;
      await reconnection.wait(error, signal);
    }
  }
}

async function* oneReading(
  connection: Connection,
  id: string,
  { step, text, follow = false, signal }: ApiLogsOptions,
): AsyncGenerator<ApiLogLine> {
  const response = await connection.send({
    path: executionPath(id, "logs"),
    query: { step, text, follow: follow ? "true" : undefined },
    headers: { accept: "application/x-ndjson" },
    signal,
  });
  yield* jsonLines<ApiLogLine>(bodyLines(response, { signal }));
}
