// Turns a response into the outcome of its attempt.

import type { EpochMs, Json, Outcome, TextFilter } from "@segno/kernel";
import { outcomeOfValue } from "../attempt-outcome.ts";
import { decodeBody, mediaType } from "./response-body.ts";
import { decompress } from "./content-coding.ts";
import type { HttpResponse } from "./http-response.ts";
import { statusFailure } from "./status-failure.ts";

export interface ResponseContext {
  readonly now: EpochMs;
  readonly bodyBytesMax: number;
  /** Masks secrets in text from the server. */
  readonly maskText: TextFilter;
}

export async function outcomeOfResponse(response: HttpResponse, context: ResponseContext): Promise<Outcome> {
  const { now, bodyBytesMax, maskText } = context;
  if (response.status >= 400) return { kind: "failed", failure: statusFailure(response, now, maskText) };
  const { status, headers } = response;
  const body = await decodedBody(response, bodyBytesMax);
  return outcomeOfValue({ status, headers: Object.fromEntries(headers), body }, { maskText });
}

/** Statuses without a body, whatever the headers say. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

async function decodedBody(response: HttpResponse, bodyBytesMax: number): Promise<Json> {
  if (EMPTY.has(response.status) || response.request.method === "HEAD") return null;
  return decodeBody(await decompress(response, bodyBytesMax), mediaType(response.headers.get("content-type")));
}
