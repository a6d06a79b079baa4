// Builds the request that follows a redirect.
//
//   RD1. Only `FORWARDED_HEADERS` are sent to another origin; they carry no credentials.
//   RD2. A request never goes from HTTPS to HTTP.

import { SegnoError } from "@segno/kernel";
import { requestName, type HttpRequest } from "./http-request.ts";
import { httpUrl, withoutQuery } from "./http-url.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** RD1. */
const FORWARDED_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "content-type",
  "user-agent",
]);

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

export function followRedirect(request: HttpRequest, status: number, location: string): HttpRequest {
  const url = httpUrl(location, request.url);
  if (request.url.protocol === "https:" && url.protocol === "http:")
    throw new SegnoError(
      "HTTP_REDIRECTS",
      `${requestName(request)} was redirected to ${withoutQuery(url)}, which is not encrypted`,
    );
  const redirected = becomesGet(request.method, status) ? asGet(request) : request;
  const headers =
    url.origin === request.url.origin ? redirected.headers : filterHeaders(redirected.headers, isForwarded);
  return { ...redirected, url, headers };
}

/** As browsers do, because servers rely on it. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

function asGet(request: HttpRequest): HttpRequest {
  const headers = filterHeaders(request.headers, (name) => !name.startsWith("content-") && name !== "idempotency-key");
  return { ...request, method: "GET", headers, body: undefined };
}

function isForwarded(name: string): boolean {
  return FORWARDED_HEADERS.has(name);
}

function filterHeaders(
  headers: ReadonlyMap<string, string>,
  keep: (name: string) => boolean,
): ReadonlyMap<string, string> {
  return new Map([...headers].filter(([name]) => keep(name)));
}
