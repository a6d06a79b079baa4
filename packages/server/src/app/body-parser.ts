// Reads the body of a request: JSON only, in UTF-8, without keys that would change a prototype.

import type { FastifyRequest } from "fastify";
import { SegnoError } from "@segno/kernel";

import { RequestError } from "../errors/problem.ts";
import type { ParsedBody } from "./request-reader.ts";

const DEPTH_MAX = 64;
const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/iu;

export async function parseBody(request: FastifyRequest, bytes: Buffer): Promise<ParsedBody> {
  const encoding = request.headers["content-encoding"];
  if (!JSON_TYPE.test(request.headers["content-type"] ?? "") || (encoding !== undefined && encoding !== "identity"))
    throw new SegnoError("MEDIA_TYPE_UNSUPPORTED", "the body has to be application/json, and not compressed");
  if (bytes.length === 0) return { bytes, json: undefined };
  const json = parseJson(decode(bytes));
  checkKeys(json);
  return { bytes, json };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("the body is not UTF-8");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`the body is not JSON: ${(error as Error).message}`);
  }
}

/** Iterates, because a recursion would overflow on a deep body. */
function checkKeys(json: unknown): void {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) throw invalid(`the body is nested more than ${DEPTH_MAX} levels deep`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      if (Object.hasOwn(value, "__proto__")) throw invalid("the body has the key `__proto__`");
      for (const inner of Object.values(value)) if (typeof inner === "object" && inner !== null) next.push(inner);
    }
    level = next;
  }
}

function invalid(detail: string): RequestError {
  return new RequestError(detail, [{ detail, pointer: "" }]);
}
