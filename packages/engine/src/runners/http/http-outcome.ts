// An answer, as the outcome of its attempt.

import type { EpochMs, Json, Outcome, Shown } from "@segno/kernel";
import { outcomeOfValue } from "../function-outcome.ts";
import { bodyOf, mediaType } from "./answer-body.ts";
import { unpacked } from "./content-coding.ts";
import type { HttpAnswer } from "./http-answer.ts";
import { statusFailure } from "./status-failure.ts";

export interface AnswerSurroundings {
  readonly now: EpochMs;
  readonly bodyBytes: number;
  /** What may be shown of what the server said. */
  readonly shown: Shown;
}

export async function outcomeOfAnswer(answer: HttpAnswer, surroundings: AnswerSurroundings): Promise<Outcome> {
  const { now, bodyBytes, shown } = surroundings;
  if (answer.status >= 400) return { kind: "failed", failure: statusFailure(answer, now, shown) };
  return outcomeOfValue({
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await valueOf(answer, bodyBytes),
  });
}

/** Statuses that come without a body, whatever the headers say. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

async function valueOf(answer: HttpAnswer, bodyBytes: number): Promise<Json> {
  if (EMPTY.has(answer.status) || answer.request.method === "HEAD") return null;
  return bodyOf(await unpacked(answer, bodyBytes), mediaType(answer.headers.get("content-type")));
}
