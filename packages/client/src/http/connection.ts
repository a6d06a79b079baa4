// Sends requests to a server, with the token, and turns every answer that is not a success into an error.
//
//   C1. A request that may be repeated is sent again after 429 and 503, at most `retries` times, after the time that the server
//       asks for. Other requests are sent once: nobody knows whether the first one had an effect.
//   C2. The token is in a header only, never in an address.

import { SegnoError } from "@segno/kernel";

import { ApiError, toApiError } from "../errors/api-error.ts";
import { sleep } from "./sleep.ts";

/** The server that a client talks to, and how. */
export interface ClientOptions {
  /** The address of the server, such as `http://127.0.0.1:7350`. */
  readonly url: string;
  /** Absent in a page of the server itself: there the session counts. */
  readonly token?: string | undefined;
  /** How often a request that may be repeated is sent again after the answers 429 and 503. The default is 3. */
  readonly retries?: number;
  /** How long events and logs that follow try to reach a server that has gone away. The default is 60,000. */
  readonly reconnectMs?: number;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface ApiCall {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** A second request has the effect of one. Requests that only read are always repeatable. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
}

type QueryValue = string | number | boolean | readonly string[] | undefined;

const RETRIES_DEFAULT = 3;
const RETRY_MS = 200;
const RETRY_AFTER_MAX_S = 30;
const BUSY: ReadonlySet<number> = new Set([429, 503]);

export class Connection {
  readonly #base: string;
  readonly #token: string | undefined;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor({ url, token, retries = RETRIES_DEFAULT, fetch: given }: ClientOptions) {
    this.#base = checkAddress(url);
    this.#token = token;
    this.#retries = retries;
    // A browser refuses a `fetch` that is called as a method of another object.
    this.#fetch = given ?? ((...request) => fetch(...request));
  }

  /** The answer of a successful request. */
  async send(call: ApiCall): Promise<Response> {
    const { method = "GET", isRepeatable = method === "GET", signal } = call;
    for (let attempt = 0; ; attempt++) {
      const response = await this.#request(call, method);
      if (response.ok) return response;
      const error = await toApiError(response);
      if (!isRepeatable || !BUSY.has(error.status) || attempt >= this.#retries) throw error;
      await sleep(waitMs(error, attempt), signal);
      signal?.throwIfAborted();
    }
  }

  async json<Body>(call: ApiCall): Promise<Body> {
    return readJson<Body>(await this.send(call));
  }

  async #request({ path, query = {}, body, headers = {}, signal }: ApiCall, method: string): Promise<Response> {
    const address = `${this.#base}${path}${queryText(query)}`;
    try {
      return await this.#fetch(address, {
        method,
        redirect: "error",
        headers: {
          accept: "application/json",
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw unreachable(this.#base, cause);
    }
  }
}

/** The JSON of a whole answer. */
export async function readJson<Body>(response: Response): Promise<Body> {
  const text = await response.text().catch((cause: unknown) => {
    throw unreachable("the server", cause);
  });
  try {
    return JSON.parse(text) as Body;
  } catch (cause) {
    throw new SegnoError("SERVER_ANSWER_INVALID", "the answer of the server is not JSON", { cause });
  }
}

export function unreachable(what: string, cause: unknown): SegnoError {
  return new SegnoError("SERVER_UNREACHABLE", `${what} cannot be reached: ${causeText(cause)}`, { cause });
}

/** Node hides the reason behind "fetch failed". */
function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause;
  if (!(inner instanceof Error)) return cause.message;
  return inner.message === "" && "code" in inner ? String(inner.code) : inner.message;
}

/** Whether the same request may succeed later without a change. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return BUSY.has(error.status) || error.status === 502 || error.status === 504;
  return error instanceof SegnoError && error.code === "SERVER_UNREACHABLE";
}

function waitMs({ retryAfter }: ApiError, attempt: number): number {
  if (retryAfter !== undefined) return Math.min(retryAfter, RETRY_AFTER_MAX_S) * 1000;
  return RETRY_MS * 2 ** attempt;
}

/** A path of the server may precede `/v1`: a proxy may serve it below one. */
function checkAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isPlain =
    parsed !== undefined &&
    (parsed.protocol === "http:" || parsed.protocol === "https:") &&
    parsed.username + parsed.password + parsed.search + parsed.hash === "";
  if (!isPlain)
    throw new SegnoError("SERVER_ADDRESS_INVALID", "the address of a server is a URL such as http://127.0.0.1:7350");
  return parsed.href.replace(/\/$/u, "");
}

function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of typeof value === "object" ? value : [String(value)]) search.append(name, each);
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}
