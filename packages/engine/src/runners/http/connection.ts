// A connection serves one request and is gone after it.
//
//   C1. It has one socket, to an address that the guard has checked.
//   C2. After `close` there is no socket any more, whatever it was doing.
//   C3. One clock is set at any time: until the head of the answer is there, then from each piece of it to the next.
//
// Nothing is kept for the next request. A connection that a server is about to close would fail a request that nobody dares
// to send twice, and one that stays open keeps the process from ending.

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
  readonly #onAbort = (): void => this.#end(this.#signal.reason as Error);
  #socket: Socket | undefined;
  #stands = false;
  #clock: NodeJS.Timeout | undefined;

  constructor(origin: string, guard: AddressGuard, limits: HttpLimits, signal: AbortSignal) {
    this.#guard = guard;
    this.#limits = limits;
    this.#client = new Client(origin, {
      connect: (options, told) => this.#connect(options, told),
      // The client's own clocks are half a second coarse, and do not run before the socket stands.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
    this.#signal = signal;
    // The client itself heeds a signal only once the socket stands, and that may take long.
    signal.addEventListener("abort", this.#onAbort);
  }

  /** Resolves when the head of the answer is there. */
  async send({ method, url, headers, body }: HttpRequest): Promise<Dispatcher.ResponseData> {
    const path = url.pathname + url.search;
    const data = { headers: Object.fromEntries(headers), body: body ?? null };
    this.#setClock(this.#limits.headersMs, () => this.#noHead());
    const answer = await this.#client.request({ method, path, ...data, reset: true });
    // Whoever reads the body hears of its errors; when nobody reads it, they are nobody's.
    answer.body.on("error", ignore);
    return answer;
  }

  /** The body, piece by piece. */
  async *pieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    this.#setClock(this.#limits.idleMs, () => this.#noMore());
    for await (const piece of body) {
      this.#clock?.refresh();
      yield piece;
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#clock);
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#end(null);
    await untilClosed(this.#socket);
  }

  #end(reason: Error | null): void {
    void this.#client.destroy(reason);
    this.#socket?.destroy();
  }

  #setClock(ms: number, error: () => Error): void {
    clearTimeout(this.#clock);
    this.#clock = setTimeout(() => this.#end(error()), ms);
  }

  #noHead(): Error {
    const { headersMs } = this.#limits;
    return this.#stands
      ? new errors.HeadersTimeoutError(`no head of an answer within ${headersMs} ms`)
      : new errors.ConnectTimeoutError(`no connection within ${headersMs} ms`);
  }

  #noMore(): Error {
    return new errors.BodyTimeoutError(`the answer stopped for ${this.#limits.idleMs} ms`);
  }

  #connect(options: buildConnector.Options, told: buildConnector.Callback): void {
    try {
      this.#guard.checkHost(options.hostname);
      if (this.#socket !== undefined) throw connectionLostError();
      this.#socket = this.#open(options, told);
    } catch (error) {
      told(error as Error, null);
    }
  }

  #open({ hostname: host, port, protocol }: buildConnector.Options, told: buildConnector.Callback): Socket {
    const isSecure = protocol === "https:";
    const target = { host, port: Number(port) || (isSecure ? 443 : 80), lookup: this.#guard.lookup };
    const socket = isSecure ? connectSecure({ ...target, ...serverName(host) }) : connectPlain(target);
    socket.setNoDelay(true);
    // Once it stands, its errors are the client's to tell.
    socket.on("error", (error) => this.#stands || told(error, null));
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      this.#stands = true;
      told(null, socket);
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

/** Servers with several certificates choose by it; an address is no name. */
function serverName(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host.replace(/\.$/u, "") } : {};
}

/** The client would connect again for a request that it believes unsent. */
function connectionLostError(): Error {
  return Object.assign(new Error("the connection was lost before the request was sent"), { code: "ECONNRESET" });
}

function ignore(): void {}
