// A local HTTP server that records what it gets, and answers as the test says.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface RecordedRequest {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly messages: readonly string[];
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

export type Respond = (request: RecordedRequest, response: ServerResponse) => void;

export interface RecordingServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
}

/** A port that was used before, so that a server can be restarted, or a free one. */
export async function startServer(respond: Respond, port = 0): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const lines = body
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const messages = lines.map(({ message }) => String(message));
      const recorded = { url: request.url!, headers: request.headers, body, messages, lines };
      requests.push(recorded);
      respond(recorded, response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  const { port: used } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${used}/events`,
    port: used,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Answers with these status codes, one after the other; the last one again and again. */
export function statuses(...codes: readonly number[]): Respond {
  let next = 0;
  return (_, response) => {
    response.statusCode = codes[Math.min(next++, codes.length - 1)]!;
    response.end("answer");
  };
}
