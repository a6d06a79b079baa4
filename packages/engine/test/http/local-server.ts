// Real servers on this machine, one per test.

import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createRawServer, type AddressInfo, type Server as RawServer, type Socket } from "node:net";
import { CERTIFICATE, PRIVATE_KEY } from "./certificate.ts";

/** A request as the server received it. */
export interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface LocalServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly Seen[];
  readonly sockets: ReadonlySet<Socket>;
  /** The addresses at which clients connected, one per connection. */
  readonly reached: readonly (string | undefined)[];
}

type Answerer = (...args: [...Parameters<RequestListener>, body: string]) => void;

/** Responds after the whole request has arrived. */
export async function serve(answer: Answerer, place: string = "127.0.0.1"): Promise<LocalServer> {
  const seen: Seen[] = [];
  const server = createHttpServer((request, response) => void readRequest(seen, request, response, answer));
  return listen(server, place, "http", seen);
}

export async function serveSecurely(answer: Answerer): Promise<LocalServer> {
  const seen: Seen[] = [];
  const options = { key: PRIVATE_KEY, cert: CERTIFICATE };
  const server = createHttpsServer(options, (request, response) => void readRequest(seen, request, response, answer));
  return listen(server, "127.0.0.1", "https", seen);
}

/** Sends exactly these bytes to every client that sends something; `undefined` sends nothing. */
export function serveBytes(bytes: string | undefined): Promise<LocalServer> {
  const server = createRawServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => bytes !== undefined && socket.end(bytes, "latin1"));
  });
  return listen(server, "127.0.0.1", "http", []);
}

async function readRequest(
  seen: Seen[],
  ...[request, response, answer]: [...Parameters<RequestListener>, Answerer]
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  seen.push({ method: request.method, path: request.url, headers: request.headers, body });
  answer(request, response, body);
}

async function listen(
  server: Server | RawServer,
  place: string,
  scheme: string,
  seen: readonly Seen[],
): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  const reached: (string | undefined)[] = [];
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)));
    reached.push(socket.localAddress);
  });
  server.on("clientError", (_, socket: Socket) => socket.destroy());
  server.listen(0, place);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { url: `${scheme}://${place}:${port}`, port, seen, sockets, reached, [Symbol.asyncDispose]: close };
}
