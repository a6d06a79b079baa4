// The request of an `http` step: method, URL, headers and body, validated before anything is sent.

import { SegnoError, type Json } from "@segno/kernel";
import { describeKind } from "@segno/kernel/describe-value";
import type { Attempt, RenderedAction } from "../runner.ts";
import { httpUrl, withoutQuery } from "./http-url.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array | undefined;
}

/** Methods without side effects; they need no idempotency key. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Methods whose responses are not ordinary responses. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(["CONNECT", "TRACE"]);

/** Headers that follow from the connection, the URL and the body. Setting them would allow request smuggling. */
export const REFUSED_HEADERS: ReadonlySet<string> = new Set([
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

/** Throws if the request is invalid. Messages never contain values, which may be secrets (DATA-9). */
export function toRequest(attempt: Attempt): HttpRequest {
  const rendered = attempt.renderedAction();
  const { url } = rendered;
  if (typeof url !== "string")
    throw new SegnoError("HTTP_URL_INVALID", `the URL is ${describeKind(url ?? null)}, not text`);
  const method = checkMethod(attempt);
  const headers = checkHeaders(rendered);
  const defaults = Object.entries({
    ...STANDARD_HEADERS,
    ...contentType(rendered.body),
    ...idempotencyHeader(method, attempt),
    traceparent: attempt.traceparent(),
  });
  for (const [name, value] of defaults) if (!headers.has(name)) headers.set(name, value);
  return { method, url: httpUrl(url), headers, body: encodeBody(rendered.body) };
}

/** The name of the request in messages. */
export function requestName({ method, url }: HttpRequest): string {
  return `${method} ${withoutQuery(url)}`;
}

/** Compression is not requested: responses are small, and decompression needs limits. */
const STANDARD_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "user-agent": "segno",
  accept: "application/json, text/*;q=0.9, */*;q=0.8",
  "accept-encoding": "identity",
});

function contentType(body: Json | undefined): Readonly<Record<string, string>> {
  if (body === undefined || body === null) return {};
  return { "content-type": typeof body === "string" ? "text/plain;charset=utf-8" : "application/json" };
}

/** The same key for every attempt, so that the server can recognize a retry (IDEM-4). */
function idempotencyHeader(method: string, attempt: Attempt): Readonly<Record<string, string>> {
  return SAFE_METHODS.has(method) ? {} : { "idempotency-key": attempt.token() };
}

function encodeBody(body: Json | undefined): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function checkMethod({ action }: Attempt): string {
  const method = action.kind === "http" ? action.method.toUpperCase() : "";
  if (isHttpToken(method) && !REFUSED_METHODS.has(method)) return method;
  throw invalidRequestError(`the method ${JSON.stringify(method)} cannot be sent`);
}

function checkHeaders({ headers = {} }: RenderedAction): Map<string, string> {
  const checked = new Map<string, string>();
  for (const [original, value] of Object.entries(headers)) {
    const name = original.toLowerCase();
    checkName(original, name);
    if (checked.has(name)) throw invalidRequestError(`the header \`${name}\` is given twice`);
    checked.set(name, headerValue(name, value));
  }
  return checked;
}

function checkName(original: string, name: string): void {
  if (!isHttpToken(name)) throw invalidRequestError(`${JSON.stringify(original)} is not a valid header name`);
  if (REFUSED_HEADERS.has(name)) throw invalidRequestError(`a step cannot set the header \`${name}\``);
}

function headerValue(name: string, value: Json): string {
  if (value === null || typeof value === "object")
    throw invalidRequestError(`the header \`${name}\` is ${describeKind(value)}; use text, a number or a boolean`);
  const text = String(value);
  // A line break would start another header or another request.
  if (/[^\t\x20-\x7e\x80-\xff]/u.test(text))
    throw invalidRequestError(
      `the header \`${name}\` holds a line break or another character that headers cannot hold`,
    );
  return text;
}

function isHttpToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(text);
}

function invalidRequestError(message: string): SegnoError {
  return new SegnoError("HTTP_FAILED", message);
}
