// What an `http` step sends: method, URL, headers and body, checked before anything is sent.

import { SegnoError, type Json } from "@segno/kernel";
import type { Attempt, RenderedAction } from "../runner.ts";
import { httpUrl, withoutQuery } from "./http-url.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** By names in small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
}

/** Methods that change nothing, so that it does not matter how often they are called. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Those whose answers are not answers to a request. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(["CONNECT", "TRACE"]);

/** What follows from the connection, the URL and the body. Whoever could set it could make a server see two requests. */
const REFUSED_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "upgrade",
  "expect",
  "te",
  "trailer",
]);

/** Throws when it cannot be sent. Messages never hold values: they may be secrets (DATA-9). */
export function toRequest(attempt: Attempt): HttpRequest {
  const call = attempt.call();
  const { url } = call;
  if (typeof url !== "string") throw new SegnoError("HTTP_URL_INVALID", `the URL is ${describeKind(url)}, not text`);
  const method = checkMethod(attempt);
  const headers = checkHeaders(call);
  const defaults = Object.entries({ ...STANDARD_HEADERS, ...contentType(call.body), ...token(method, attempt) });
  for (const [name, value] of defaults) if (!headers.has(name)) headers.set(name, value);
  return { method, url: httpUrl(url), headers, body: encodeBody(call.body) };
}

/** How people speak of it. */
export function requestName({ method, url }: HttpRequest): string {
  return `${method} ${withoutQuery(url)}`;
}

/** Nothing packed is asked for: it would have to be unpacked within limits, and steps ask for little. */
const STANDARD_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "user-agent": "segno",
  accept: "application/json, text/*;q=0.9, */*;q=0.8",
  "accept-encoding": "identity",
});

function contentType(body: Json | undefined): Readonly<Record<string, string>> {
  if (body === undefined || body === null) return {};
  return { "content-type": typeof body === "string" ? "text/plain;charset=utf-8" : "application/json" };
}

/** IDEM-4: the same for every attempt, so that the other side can tell a retry from a second request. */
function token(method: string, attempt: Attempt): Readonly<Record<string, string>> {
  return SAFE_METHODS.has(method) ? {} : { "idempotency-key": attempt.token() };
}

function encodeBody(body: Json | undefined): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function checkMethod({ action }: Attempt): string {
  const method = action.kind === "http" ? action.method.toUpperCase() : "";
  if (isToken(method) && !REFUSED_METHODS.has(method)) return method;
  throw unsendable(`the method ${JSON.stringify(method)} is none that can be sent`);
}

function checkHeaders({ headers = {} }: RenderedAction): Map<string, string> {
  const checked = new Map<string, string>();
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    checkName(written, name);
    if (checked.has(name)) throw unsendable(`the header \`${name}\` is given twice`);
    checked.set(name, headerValue(name, value));
  }
  return checked;
}

function checkName(written: string, name: string): void {
  if (!isToken(name)) throw unsendable(`${JSON.stringify(written)} is no name for a header`);
  if (REFUSED_HEADERS.has(name)) throw unsendable(`the header \`${name}\` is not for a step to set`);
}

function headerValue(name: string, value: Json): string {
  if (value === null || typeof value === "object")
    throw unsendable(`the header \`${name}\` is ${describeKind(value)}; give text, a number or a boolean`);
  const text = String(value);
  // A line break would begin another header, or another request.
  if (/[^\t\x20-\x7e\x80-\xff]/u.test(text))
    throw unsendable(`the header \`${name}\` holds a line break or another character that headers cannot hold`);
  return text;
}

function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(text);
}

function describeKind(value: Json | undefined): string {
  if (value === undefined || value === null) return "null";
  if (typeof value !== "object") return `a ${typeof value}`;
  return Array.isArray(value) ? "a list" : "an object";
}

function unsendable(message: string): SegnoError {
  return new SegnoError("HTTP_FAILED", message);
}
