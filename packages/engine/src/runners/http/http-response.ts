// A response, read only as far as needed.

import { SegnoError } from "@segno/kernel";
import type { Dispatcher } from "undici";
import { requestName, type HttpRequest } from "./http-request.ts";

export interface HttpResponse {
  /** The last request, if redirects were followed. */
  readonly request: HttpRequest;
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case; repeated headers are joined. */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Uint8Array;
  /** Whether the body continues beyond what was read. */
  readonly isCut: boolean;
}

export type ResponseHead = Omit<HttpResponse, "bytes" | "isCut">;

export function toResponseHead(request: HttpRequest, data: Dispatcher.ResponseData): ResponseHead {
  const { statusCode: status, statusText, headers } = data;
  return { request, status, statusText, headers: joinHeaders(headers) };
}

/** Cookies are credentials and are dropped; a workflow that needs them can run a command. */
function joinHeaders(headers: Dispatcher.ResponseData["headers"]): ReadonlyMap<string, string> {
  const all = Object.entries(headers).filter(([name, value]) => name !== "set-cookie" && value !== undefined);
  return new Map(all.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value!]));
}

/** An error body is only quoted, so its beginning is enough. */
const ERROR_BYTES_MAX = 65_536;

export async function readResponse(
  head: ResponseHead,
  body: AsyncIterable<Uint8Array>,
  max: number,
): Promise<HttpResponse> {
  if (head.status >= 400) return { ...head, ...(await readError(body, Math.min(max, ERROR_BYTES_MAX))) };
  // Not read at all if `content-length` exceeds the limit.
  if (head.request.method !== "HEAD" && Number(head.headers.get("content-length")) > max) throw tooLarge(head, max);
  const read = await readUpTo(body, max);
  if (read.isCut) throw tooLarge(head, max);
  return { ...head, ...read };
}

export function tooLarge({ request }: ResponseHead, max: number): SegnoError {
  return new SegnoError("HTTP_TOO_LARGE", `the response to ${requestName(request)} has more than ${max} bytes`);
}

interface ReadBody {
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

/** The error status counts even if the body breaks off. */
async function readError(body: AsyncIterable<Uint8Array>, max: number): Promise<ReadBody> {
  try {
    return await readUpTo(body, max);
  } catch {
    return { bytes: new Uint8Array(), isCut: true };
  }
}

async function readUpTo(body: AsyncIterable<Uint8Array>, max: number): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > max) break;
  }
  return { bytes: Buffer.concat(chunks, Math.min(length, max)), isCut: length > max };
}
