// The request that follows from a redirect.
//
//   T1. What was meant for one origin is not told to another: only headers that say what is wanted go along.
//   T2. A request that was encrypted does not go on without.

import { SegnoError } from "@segno/kernel";
import { requestName, type HttpRequest } from "./http-request.ts";
import { httpUrl, withoutQuery } from "./http-url.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What another origin may see. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
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
      `${requestName(request)} was redirected to ${withoutQuery(url)}, without encryption`,
    );
  const asked = becomesGet(request.method, status) ? asGet(request) : request;
  const headers = url.origin === request.url.origin ? asked.headers : only(asked.headers, isHarmless);
  return { ...asked, url, headers };
}

/** As browsers do it, and so what servers count on. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

function asGet(request: HttpRequest): HttpRequest {
  const headers = only(request.headers, (name) => !name.startsWith("content-") && name !== "idempotency-key");
  return { ...request, method: "GET", headers, body: undefined };
}

function isHarmless(name: string): boolean {
  return HARMLESS_HEADERS.has(name);
}

function only(headers: ReadonlyMap<string, string>, keep: (name: string) => boolean): ReadonlyMap<string, string> {
  return new Map([...headers].filter(([name]) => keep(name)));
}
