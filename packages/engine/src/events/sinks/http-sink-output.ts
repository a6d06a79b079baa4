// Posts lines to a URL, as JSON lines.
//
//   HO1. A batch is one request. It is sent again, with growing delays, if the server cannot be reached, does not answer in
//        time, or answers 408, 429 or 5xx; so the server may get a line twice. Any other answer but 2xx loses the batch.
//   HO2. The operator chooses the URL, so it may be a private address. The guard of `http` steps against private addresses
//        protects from URLs that a workflow computes, and does not apply here.
//   HO3. Redirects are not followed: lines go only where the operator sends them.

import { thrownMessage } from "@segno/kernel/thrown-text";
import type { SinkOutput, SinkWait } from "./sink-output.ts";

export interface HttpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The time for one request. */
  readonly timeoutMs: number;
  /** All attempts for one batch, the first included. */
  readonly attempts: number;
}

type SinkAnswer =
  | { readonly kind: "accepted" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "busy"; readonly reason: string; readonly retryAfterMs?: number };

const DELAY_MS = 1000;
const DELAY_MS_MAX = 30_000;
const TOO_BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

export class HttpSinkOutput implements SinkOutput {
  readonly name: string;
  readonly #url: URL;
  readonly #headers: Headers;
  readonly #options: HttpTarget;
  readonly #wait: SinkWait;

  constructor(options: HttpTarget, wait: SinkWait) {
    this.#options = options;
    this.#wait = wait;
    this.#url = new URL(options.url);
    this.#headers = new Headers({ "content-type": "application/x-ndjson", ...options.headers });
    this.#moveCredentials();
    // A query may hold a token.
    this.name = `the sink ${this.#url.origin}${this.#url.pathname}`;
  }

  async send(lines: readonly string[], signal: AbortSignal): Promise<void> {
    const body = `${lines.join("\n")}\n`;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#post(body, signal);
      if (answer.kind === "accepted") return;
      if (answer.kind === "refused" || attempt >= this.#options.attempts) throw new Error(answer.reason);
      await this.#wait(answer.retryAfterMs ?? Math.min(DELAY_MS * 2 ** (attempt - 1), DELAY_MS_MAX), signal);
    }
  }

  async close(): Promise<void> {}

  async #post(body: string, signal: AbortSignal): Promise<SinkAnswer> {
    const request: RequestInit = {
      method: "POST",
      headers: this.#headers,
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(this.#options.timeoutMs)]),
    };
    try {
      const response = await fetch(this.#url, request);
      await response.body?.cancel();
      return toAnswer(response);
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "busy", reason: reasonOf(error) };
    }
  }

  /** `fetch` refuses a URL with a user name. */
  #moveCredentials(): void {
    const { username, password } = this.#url;
    if (username === "" && password === "") return;
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
    this.#url.username = "";
    this.#url.password = "";
  }
}

function toAnswer({ ok, status, headers }: Response): SinkAnswer {
  if (ok) return { kind: "accepted" };
  const reason = `the server answered ${status}`;
  if (status < 500 && !TOO_BUSY.has(status)) return { kind: "refused", reason };
  const seconds = headers.get("retry-after")?.trim() ?? "";
  if (!/^\d{1,9}$/u.test(seconds)) return { kind: "busy", reason };
  return { kind: "busy", reason, retryAfterMs: Math.min(Number(seconds) * 1000, DELAY_MS_MAX) };
}

/** The error of `fetch` says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? thrownMessage(error) : `${thrownMessage(error)}: ${thrownMessage(cause)}`;
}
