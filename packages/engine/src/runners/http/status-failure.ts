// Turns a status of 400 or more into a failure (FAIL-1). The message quotes the problem details (RFC 9457) if there are
// any, otherwise the beginning of the text.

import { classifyError, isJsonObject, type EpochMs, type Failure, type Json, type TextFilter } from "@segno/kernel";
import { decodeBody, mediaType, type MediaType } from "./response-body.ts";
import { excerpt } from "./excerpt.ts";
import type { HttpResponse } from "./http-response.ts";
import { requestName } from "./http-request.ts";
import { retryAfter } from "./retry-after.ts";

export function statusFailure(response: HttpResponse, now: EpochMs, maskText: TextFilter): Failure {
  const { status, headers, request } = response;
  const wait = retryAfter(headers.get("retry-after"), now);
  const reason = readReason(response, maskText);
  const description = `${requestName(request)} was answered with ${status}`;
  return {
    class: classifyError({ status }),
    code: "HTTP_STATUS",
    message: reason === "" ? description : `${description}: ${reason}`,
    status,
    ...(wait === undefined ? {} : { retryAfter: wait }),
  };
}

function readReason(response: HttpResponse, maskText: TextFilter): string {
  const { statusText, isCut } = response;
  const parts = [excerpt(statusText, false, maskText), excerpt(bodyText(response), isCut, maskText)];
  return parts.filter((part) => part !== "" && part !== "…").join(": ");
}

/** Compressed or binary bodies are not quoted. */
function bodyText({ bytes, headers, isCut }: HttpResponse): string {
  const type = mediaType(headers.get("content-type"));
  if (type.kind === "bytes" || isCompressed(headers)) return "";
  return (type.name === "application/problem+json" && !isCut ? problem(bytes, type) : undefined) ?? lenientText(bytes);
}

function isCompressed(headers: HttpResponse["headers"]): boolean {
  return (headers.get("content-encoding") ?? "identity") !== "identity";
}

function lenientText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Title, detail and type, as far as present. */
function problem(bytes: Uint8Array, type: MediaType): string | undefined {
  const details = tryDecode(bytes, type);
  if (!isJsonObject(details)) return undefined;
  const { title, detail, type: kind } = details;
  const reason = [title, detail].filter(isReason).join(": ");
  return isReason(kind) && kind !== "about:blank" ? `${reason} (${kind})` : reason;
}

function isReason(part: Json | undefined): part is string {
  return typeof part === "string" && part !== "";
}

function tryDecode(bytes: Uint8Array, type: MediaType): Json | undefined {
  try {
    return decodeBody(bytes, type);
  } catch {
    return undefined;
  }
}
