// Sends a request and follows its redirects until there is a response.
//
//   RQ1. Every hop has its own connection, so the guard checks each of them.
//   RQ2. The connection of a hop is closed before the next hop starts and before the function returns.

import { SegnoError } from "@segno/kernel";
import type { Dispatcher } from "undici";
import { AddressGuard, type DnsLookup } from "./address-guard.ts";
import { HttpConnection } from "./connection.ts";
import { toResponseHead, readResponse, type HttpResponse } from "./http-response.ts";
import { errorCode, unansweredError } from "./http-failure.ts";
import type { HttpLimits } from "./http-limits.ts";
import { requestName, type HttpRequest } from "./http-request.ts";
import type { PrivateNetworkPolicy } from "./private-network-policy.ts";
import { isRedirect, followRedirect } from "./redirect.ts";

export interface SendOptions {
  readonly policy: PrivateNetworkPolicy;
  readonly limits: HttpLimits;
  readonly lookup: DnsLookup | undefined;
  readonly signal: AbortSignal;
  /** Logs each hop when its response starts or its failure is known. */
  readonly log: (line: string) => void;
}

type HopResult = HttpResponse | { readonly next: HttpRequest };

/** Throws the signal's reason or a `SegnoError`. */
export async function sendFollowingRedirects(first: HttpRequest, options: SendOptions): Promise<HttpResponse> {
  let request = first;
  for (let followed = 0; ; followed++) {
    const hop = await sendHop(request, options);
    if (!("next" in hop)) return hop;
    if (followed === options.limits.redirects) throw tooMany(first, followed);
    request = hop.next;
  }
}

async function sendHop(request: HttpRequest, options: SendOptions): Promise<HopResult> {
  options.signal.throwIfAborted();
  const guard = new AddressGuard(options.policy, options.lookup);
  const connection = new HttpConnection(request.url.origin, guard, options.limits, options.signal);
  try {
    return await sendOnConnection(connection, request, options);
  } catch (error) {
    throw options.signal.aborted || error instanceof SegnoError ? error : unansweredError(requestName(request), error);
  } finally {
    await connection.close();
  }
}

async function sendOnConnection(
  connection: HttpConnection,
  request: HttpRequest,
  options: SendOptions,
): Promise<HopResult> {
  const data = await sendRequest(connection, request, options);
  const head = toResponseHead(request, data);
  const location = head.headers.get("location");
  if (isRedirect(head.status) && location !== undefined)
    return { next: followRedirect(request, head.status, location) };
  return readResponse(head, connection.chunks(data.body), options.limits.bodyBytes);
}

async function sendRequest(
  connection: HttpConnection,
  request: HttpRequest,
  { log }: SendOptions,
): Promise<Dispatcher.ResponseData> {
  try {
    const data = await connection.send(request);
    log(`${requestName(request)} -> ${data.statusCode}`);
    return data;
  } catch (error) {
    log(`${requestName(request)} -> ${errorCode(error) || "no answer"}`);
    throw error;
  }
}

function tooMany(request: HttpRequest, followed: number): SegnoError {
  return new SegnoError("HTTP_REDIRECTS", `${requestName(request)} was redirected more than ${followed} times`);
}
