// A conversation: one request, and those that follow from redirects, until there is an answer.
//
//   V1. Every hop has a connection of its own, and so is checked by the guard like the first one.
//   V2. Whatever becomes of a hop, its connection is gone before the next one begins, and before the conversation ends.

import { SegnoError } from "@segno/kernel";
import { AddressGuard, type Lookup } from "./address-guard.ts";
import { Connection } from "./connection.ts";
import { headOf, readAnswer, type HttpAnswer } from "./http-answer.ts";
import { codeOf, unanswered } from "./http-failure.ts";
import type { HttpLimits } from "./http-limits.ts";
import { nameOf, type HttpRequest } from "./http-request.ts";
import type { PrivateAllowance } from "./private-allowance.ts";
import { isRedirect, redirected } from "./redirect.ts";

export interface ConversationOptions {
  readonly allowance: PrivateAllowance;
  readonly limits: HttpLimits;
  readonly lookup: Lookup | undefined;
  readonly signal: AbortSignal;
  /** Told of each hop when its answer begins, or when it is known that none comes. */
  readonly note: (line: string) => void;
}

type Hop = HttpAnswer | { readonly next: HttpRequest };

/** Throws the signal's reason, or an error of the catalogue. */
export async function converse(first: HttpRequest, options: ConversationOptions): Promise<HttpAnswer> {
  let request = first;
  for (let followed = 0; ; followed++) {
    const hop = await tryHop(request, options);
    if (!("next" in hop)) return hop;
    if (followed === options.limits.redirects) throw tooMany(first, followed);
    request = hop.next;
  }
}

async function tryHop(request: HttpRequest, options: ConversationOptions): Promise<Hop> {
  options.signal.throwIfAborted();
  const guard = new AddressGuard(options.allowance, options.lookup);
  const connection = new Connection(request.url.origin, guard, options.limits, options.signal);
  try {
    return await hopOver(connection, request, options);
  } catch (error) {
    throw options.signal.aborted || error instanceof SegnoError ? error : unanswered(nameOf(request), error);
  } finally {
    await connection.close();
  }
}

async function hopOver(connection: Connection, request: HttpRequest, options: ConversationOptions): Promise<Hop> {
  const data = await sent(connection, request, options);
  const head = headOf(request, data);
  const location = head.headers.get("location");
  if (isRedirect(head.status) && location !== undefined) return { next: redirected(request, head.status, location) };
  return readAnswer(head, connection.pieces(data.body), options.limits.bodyBytes);
}

async function sent(connection: Connection, request: HttpRequest, { note }: ConversationOptions): Answering {
  try {
    const data = await connection.send(request);
    note(`${nameOf(request)} -> ${data.statusCode}`);
    return data;
  } catch (error) {
    note(`${nameOf(request)} -> ${codeOf(error) || "no answer"}`);
    throw error;
  }
}

type Answering = ReturnType<Connection["send"]>;

function tooMany(request: HttpRequest, followed: number): SegnoError {
  return new SegnoError("HTTP_REDIRECTS", `${nameOf(request)} was redirected more than ${followed} times`);
}
