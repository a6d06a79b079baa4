// A connection serves one request and is then closed.
//
//   HC1. It has one socket, to an address that the guard has checked.
//   HC2. After `close` the socket is gone, whatever it was doing.
//   HC3. One timer is set at any time: first until the response headers arrive, then between two chunks of the body.
//
// Connections are not reused. A connection that the server is about to close would fail a request that cannot safely be
// sent twice, and an open one keeps the process alive.

import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { Client, errors, type buildConnector, type Dispatcher } from "undici";
import type { AddressGuard } from "./address-guard.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { HttpRequest } from "./http-request.ts";

export class HttpConnection {
  readonly #guard: AddressGuard;
  readonly #limits: HttpLimits;
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.#destroy(this.#signal.reason as Error);
  #socket: Socket | undefined;
  #isConnected = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(origin: string, guard: AddressGuard, limits: HttpLimits, signal: AbortSignal) {
    this.#guard = guard;
    this.#limits = limits;
    this.#client = new Client(origin, {
      connect: (options, callback) => this.#connect(options, callback),
      // The client's own timeouts are half a second coarse, and do not run before the socket is connected.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
    this.#signal = signal;
    // The client observes a signal only once the socket is connected, and that may take long.
    signal.addEventListener("abort", this.#onAbort);
  }

  /** Resolves when the response headers have arrived. */
  async send({ method, url, headers, body }: HttpRequest): Promise<Dispatcher.ResponseData> {
    const path = url.pathname + url.search;
    const data = { headers: Object.fromEntries(headers), body: body ?? null };
    this.#setTimer(this.#limits.headersMs, () => this.#headersTimeoutError());
    const response = await this.#client.request({ method, path, ...data, reset: true });
    // The reader of the body gets its errors; if nobody reads the body, they are ignored.
    response.body.on("error", ignore);
    return response;
  }

  /** The body in chunks. */
  async *chunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    this.#setTimer(this.#limits.idleMs, () => this.#bodyTimeoutError());
    for await (const chunk of body) {
      this.#timer?.refresh();
      yield chunk;
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#destroy(null);
    await untilClosed(this.#socket);
  }

  #destroy(reason: Error | null): void {
    void this.#client.destroy(reason);
    this.#socket?.destroy();
  }

  #setTimer(ms: number, error: () => Error): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#destroy(error()), ms);
  }

  #headersTimeoutError(): Error {
    const { headersMs } = this.#limits;
    return this.#isConnected
      ? new errors.HeadersTimeoutError(`the server sent no response headers within ${headersMs} ms`)
      : new errors.ConnectTimeoutError(`no connection within ${headersMs} ms`);
  }

  #bodyTimeoutError(): Error {
    return new errors.BodyTimeoutError(`the server sent no data for ${this.#limits.idleMs} ms`);
  }

  #connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    try {
      this.#guard.checkHost(options.hostname);
      if (this.#socket !== undefined) throw reconnectRefusedError();
      this.#socket = this.#open(options, callback);
    } catch (error) {
      callback(error as Error, null);
    }
  }

  #open({ hostname: host, port, protocol }: buildConnector.Options, callback: buildConnector.Callback): Socket {
    const isSecure = protocol === "https:";
    const target = { host, port: Number(port) || (isSecure ? 443 : 80), lookup: this.#guard.lookup };
    const socket = isSecure ? connectSecure({ ...target, ...serverName(host) }) : connectPlain(target);
    socket.setNoDelay(true);
    // Once the socket is connected, the client reports its errors.
    socket.on("error", (error) => this.#isConnected || callback(error, null));
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      this.#isConnected = true;
      callback(null, socket);
    });
    return socket;
  }
}

function untilClosed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined || socket.closed) return Promise.resolve();
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
  });
}

/** For SNI: a server may have several certificates. An IP address is not a server name. */
function serverName(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host.replace(/\.$/u, "") } : {};
}

/** The client would reconnect to send a request that it believes unsent. Each connection opens one socket only (HC1). */
function reconnectRefusedError(): Error {
  return Object.assign(new Error("the connection was lost before the request was sent"), { code: "ECONNRESET" });
}

function ignore(): void {}
