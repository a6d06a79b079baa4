// Posts lines to a URL, as JSON lines.
//
//   HO1. A batch is one request. `send` sends it again, with growing delays or after the time that `Retry-After` states, if
//        the server cannot be reached, does not answer in time, or answers 408, 425, 429 or 5xx; so the server may get a
//        line twice. Any other answer but 2xx loses the batch; without a limit of attempts, only an answer that refuses
//        the lines themselves does: 400, 413 or 422.
//   HO2. The operator chooses the URL, so an address or `localhost` in it may be private. A host name that resolves to a
//        private address is refused, as in `http` steps, unless `allowPrivate` lists it: its name server may be another's.
//   HO3. Redirects are not followed: lines go only where the operator sends them.
//   HO4. A request is signed if the sink has a secret, and is never sent without its signature.

import { isIP } from "node:net";
import { epochMs } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { AddressGuard, type DnsLookup } from "../runners/http/address-guard.ts";
import { HttpConnection } from "../runners/http/connection.ts";
import { httpLimits } from "../runners/http/http-limits.ts";
import { PrivateNetworkPolicy, type AllowPrivate } from "../runners/http/private-network-policy.ts";
import { retryAfter } from "../runners/http/retry-after.ts";
import type { SinkOutput, SinkWait } from "./sink-output.ts";
import { webhookHeaders } from "./webhook-signature.ts";

export interface HttpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The time for one request. */
  readonly timeoutMs: number;
  /** All attempts for one batch, the first included. */
  readonly attempts: number;
  readonly allowPrivate: AllowPrivate;
}

/** The collaborators of an HTTP destination. */
export interface HttpSinkPorts {
  readonly now: () => number;
  readonly wait: SinkWait;
  /** The secret of the signature; absent if requests are not signed. */
  readonly secret?: () => Promise<string>;
  /** Called when the first attempt for a batch has failed and the batch is sent again. */
  readonly onRetry?: (reason: string) => void;
  /** Resolves host names. The default asks the system. */
  readonly lookup?: DnsLookup;
}

/** The result of one request. */
export type SinkAnswer =
  | { readonly kind: "accepted" }
  /** `lines`: the server refuses this body. `request`: it refuses any body, for example because a token is wrong. */
  | { readonly kind: "refused"; readonly what: "lines" | "request"; readonly reason: string }
  | { readonly kind: "busy"; readonly reason: string; readonly retryAfterMs?: number };

const DELAY_MS = 1000;
const DELAY_MS_MAX = 30_000;
const TOO_BUSY: ReadonlySet<number> = new Set([408, 425, 429]);
const LINES_REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);

export class HttpSinkOutput implements SinkOutput {
  readonly type = "http";
  readonly name: string;
  readonly #url: URL;
  readonly #headers: Headers;
  readonly #options: HttpTarget;
  readonly #ports: HttpSinkPorts;
  readonly #guard: AddressGuard;

  constructor(options: HttpTarget, ports: HttpSinkPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#url = new URL(options.url);
    this.#headers = new Headers({ "content-type": "application/x-ndjson", ...options.headers });
    this.#moveCredentials();
    this.#guard = new AddressGuard(privatePolicy(this.#url, options.allowPrivate), ports.lookup);
    // A query may hold a token.
    this.name = `${this.#url.origin}${this.#url.pathname}`;
  }

  async send(lines: readonly string[], signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.deliver(lines, signal);
      if (answer.kind === "accepted") return;
      if (this.#isLost(answer, attempt)) throw new Error(answer.reason);
      if (attempt === 1) this.#ports.onRetry?.(answer.reason);
      const delayMs = (answer.kind === "busy" ? answer.retryAfterMs : undefined) ?? retryDelayMs(attempt);
      await this.#ports.wait(Math.min(delayMs, DELAY_MS_MAX), signal);
    }
  }

  async close(): Promise<void> {}

  /** Sends one request. Rejects only if the signal aborts. */
  async deliver(lines: readonly string[], signal: AbortSignal): Promise<SinkAnswer> {
    signal.throwIfAborted();
    const body = Buffer.from(`${lines.join("\n")}\n`);
    try {
      const secret = await this.#ports.secret?.();
      const headers = new Map([...this.#headers, ...webhookHeaders(body, this.#ports.now(), secret)]);
      return await this.#post(headers, body, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "busy", reason: reasonOf(error) };
    }
  }

  async #post(headers: ReadonlyMap<string, string>, body: Uint8Array, signal: AbortSignal): Promise<SinkAnswer> {
    const limits = httpLimits({ headersMs: this.#options.timeoutMs });
    const connection = new HttpConnection(this.#url.origin, this.#guard, limits, signal);
    try {
      const response = await connection.send({ method: "POST", url: this.#url, headers, body });
      return toAnswer(response.statusCode, response.headers["retry-after"], this.#ports.now());
    } finally {
      await connection.close();
    }
  }

  #isLost(answer: SinkAnswer, attempt: number): boolean {
    const { attempts } = this.#options;
    if (answer.kind === "refused") return answer.what === "lines" || attempts !== Infinity;
    return attempt >= attempts;
  }

  /** A request has its user name in a header. */
  #moveCredentials(): void {
    const { username, password } = this.#url;
    if (username === "" && password === "") return;
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
    this.#url.username = "";
    this.#url.password = "";
  }
}

/** The delay after a failed attempt if the server states none. */
export function retryDelayMs(attempt: number): number {
  return Math.min(DELAY_MS * 2 ** Math.min(attempt - 1, 10), DELAY_MS_MAX);
}

/** The operator wrote the address itself, so it is allowed (HO2). */
function privatePolicy({ hostname }: URL, allowed: AllowPrivate): PrivateNetworkPolicy {
  if (typeof allowed === "boolean" && allowed) return new PrivateNetworkPolicy(true);
  const host = hostname.replace(/^\[|\]$/gu, "");
  const listed = typeof allowed === "boolean" ? [] : allowed;
  return new PrivateNetworkPolicy(isIP(host) !== 0 || host === "localhost" ? [...listed, host] : listed);
}

function toAnswer(status: number, header: string | string[] | undefined, now: number): SinkAnswer {
  if (status >= 200 && status < 300) return { kind: "accepted" };
  const reason = `the server answered ${status}`;
  if (LINES_REFUSED.has(status)) return { kind: "refused", what: "lines", reason };
  if (status < 500 && !TOO_BUSY.has(status)) return { kind: "refused", what: "request", reason };
  const waitMs = retryAfter(typeof header === "string" ? header : undefined, epochMs(now));
  return { kind: "busy", reason, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? thrownMessage(error) : `${thrownMessage(error)}: ${thrownMessage(cause)}`;
}
