// A conversation: one request, and those that follow from redirects, until there is an answer.
//
//   V1. Every hop has a connection of its own, and so is checked by the guard like the first one.
//   V2. Whatever becomes of a hop, its connection is gone before the next one begins, and before the conversation ends.

import { SegnoError } from "@segno/kernel";
import { AddressGuard, type DnsLookup } from "./address-guard.ts";
import { HttpConnection } from "./connection.ts";
import { toResponseHead, readResponse, type HttpResponse } from "./http-response.ts";
import { errorCode, unansweredError } from "./http-failure.ts";
import type { HttpLimits } from "./http-limits.ts";
import { requestName, type HttpRequest } from "./http-request.ts";
import type { PrivateNetworkPolicy } from "./private-network-policy.ts";
import { isRedirect, followRedirect } from "./redirect.ts";

export interface RedirectingRequest {
  readonly allowance: PrivateNetworkPolicy;
  readonly limits: HttpLimits;
  readonly lookup: DnsLookup | undefined;
  readonly signal: AbortSignal;
  /** Told of each hop when its answer begins, or when it is known that none comes. */
  readonly note: (line: string) => void;
}

type Exchange = HttpResponse | { readonly next: HttpRequest };

/** Throws the signal's reason, or an error of the catalogue. */
export async function sendFollowingRedirects(first: HttpRequest, options: RedirectingRequest): Promise<HttpResponse> {
  let request = first;
  for (let followed = 0; ; followed++) {
    const hop = await tryExchange(request, options);
    if (!("next" in hop)) return hop;
    if (followed === options.limits.redirects) throw tooMany(first, followed);
    request = hop.next;
  }
}

async function tryExchange(request: HttpRequest, options: RedirectingRequest): Promise<Exchange> {
  options.signal.throwIfAborted();
  const guard = new AddressGuard(options.allowance, options.lookup);
  const connection = new HttpConnection(request.url.origin, guard, options.limits, options.signal);
  try {
    return await exchange(connection, request, options);
  } catch (error) {
    throw options.signal.aborted || error instanceof SegnoError ? error : unansweredError(requestName(request), error);
  } finally {
    await connection.close();
  }
}

async function exchange(
  connection: HttpConnection,
  request: HttpRequest,
  options: RedirectingRequest,
): Promise<Exchange> {
  const data = await sendRequest(connection, request, options);
  const head = toResponseHead(request, data);
  const location = head.headers.get("location");
  if (isRedirect(head.status) && location !== undefined)
    return { next: followRedirect(request, head.status, location) };
  return readResponse(head, connection.pieces(data.body), options.limits.bodyBytes);
}

async function sendRequest(connection: HttpConnection, request: HttpRequest, { note }: RedirectingRequest): Exchanging {
  try {
    const data = await connection.send(request);
    note(`${requestName(request)} -> ${data.statusCode}`);
    return data;
  } catch (error) {
    note(`${requestName(request)} -> ${errorCode(error) || "no answer"}`);
    throw error;
  }
}

type Exchanging = ReturnType<HttpConnection["send"]>;

function tooMany(request: HttpRequest, followed: number): SegnoError {
  return new SegnoError("HTTP_REDIRECTS", `${requestName(request)} was redirected more than ${followed} times`);
}
