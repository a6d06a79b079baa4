// A status of 400 or more, as a failure (FAIL-1). The message says what the server said: problem details (RFC 9457) where it
// speaks them, otherwise the beginning of a text.

import { classifyError, isJsonObject, type EpochMs, type Failure, type Json, type TextFilter } from "@segno/kernel";
import { decodeBody, mediaType, type MediaType } from "./response-body.ts";
import { excerpt } from "./excerpt.ts";
import type { HttpResponse } from "./http-response.ts";
import { requestName } from "./http-request.ts";
import { retryAfter } from "./retry-after.ts";

export function statusFailure(answer: HttpResponse, now: EpochMs, shown: TextFilter): Failure {
  const { status, headers, request } = answer;
  const wait = retryAfter(headers.get("retry-after"), now);
  const said = readReason(answer, shown);
  const what = `${requestName(request)} was answered with ${status}`;
  return {
    class: classifyError({ status }),
    code: "HTTP_STATUS",
    message: said === "" ? what : `${what}: ${said}`,
    status,
    ...(wait === undefined ? {} : { retryAfter: wait }),
  };
}

function readReason(answer: HttpResponse, shown: TextFilter): string {
  const { statusText, isCut } = answer;
  const parts = [excerpt(statusText, false, shown), excerpt(bodyText(answer), isCut, shown)];
  return parts.filter((part) => part !== "" && part !== "…").join(": ");
}

/** What is packed or no text says nothing to people. */
function bodyText({ bytes, headers, isCut }: HttpResponse): string {
  const type = mediaType(headers.get("content-type"));
  if (type.kind === "bytes" || isPacked(headers)) return "";
  return (type.name === "application/problem+json" && !isCut ? problem(bytes, type) : undefined) ?? lenientText(bytes);
}

function isPacked(headers: HttpResponse["headers"]): boolean {
  return (headers.get("content-encoding") ?? "identity") !== "identity";
}

function lenientText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Title, detail and type, as far as they are there. */
function problem(bytes: Uint8Array, type: MediaType): string | undefined {
  const details = jsonOrNothing(bytes, type);
  if (!isJsonObject(details)) return undefined;
  const { title, detail, type: kind } = details;
  const said = [title, detail].filter(isReason).join(": ");
  return isReason(kind) && kind !== "about:blank" ? `${said} (${kind})` : said;
}

function isReason(part: Json | undefined): part is string {
  return typeof part === "string" && part !== "";
}

function jsonOrNothing(bytes: Uint8Array, type: MediaType): Json | undefined {
  try {
    return decodeBody(bytes, type);
  } catch {
    return undefined;
  }
}
