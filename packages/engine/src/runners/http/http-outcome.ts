// An answer, as the outcome of its attempt.

import type { EpochMs, Json, Outcome, TextFilter } from "@segno/kernel";
import { outcomeOfValue } from "../function-outcome.ts";
import { decodeBody, mediaType } from "./response-body.ts";
import { decompress } from "./content-coding.ts";
import type { HttpResponse } from "./http-response.ts";
import { statusFailure } from "./status-failure.ts";

export interface ResponseContext {
  readonly now: EpochMs;
  readonly bodyBytes: number;
  /** What may be shown of what the server said. */
  readonly shown: TextFilter;
}

export async function outcomeOfAnswer(answer: HttpResponse, context: ResponseContext): Promise<Outcome> {
  const { now, bodyBytes, shown } = context;
  if (answer.status >= 400) return { kind: "failed", failure: statusFailure(answer, now, shown) };
  return outcomeOfValue({
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await toStepOutput(answer, bodyBytes),
  });
}

/** Statuses that come without a body, whatever the headers say. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

async function toStepOutput(answer: HttpResponse, bodyBytes: number): Promise<Json> {
  if (EMPTY.has(answer.status) || answer.request.method === "HEAD") return null;
  return decodeBody(await decompress(answer, bodyBytes), mediaType(answer.headers.get("content-type")));
}
