// Reads a request by the schemas of its route (R2).

import type { FastifyRequest } from "fastify";
import type { z } from "zod";

import { RequestError, type ProblemEntry } from "../errors/problem.ts";
import type { ApiCaller, ApiRequest, ApiRoute } from "../routes/route.ts";

/** The body as it came, and as JSON. */
export interface ParsedBody {
  readonly bytes: Uint8Array;
  readonly json: unknown;
}

const NOTHING = new Uint8Array();

export function readRequest(
  request: FastifyRequest,
  route: ApiRoute,
  caller: ApiCaller,
  signal: AbortSignal,
): ApiRequest<never, never, never> {
  const body = request.body as ParsedBody | undefined;
  return {
    params: check(route.params, request.params, "/path"),
    query: check(route.query, request.query, "/query"),
    body: check(route.body, body?.json ?? {}, ""),
    bodyBytes: body?.bytes.length ?? 0,
    rawBody: body?.bytes ?? NOTHING,
    caller,
    header: (name) => headerText(request.headers[name]),
    signal,
  };
}

function headerText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(", ") : value;
}

/** Without a schema, nothing is read. */
function check(schema: z.ZodType | undefined, value: unknown, place: string): never {
  if (schema === undefined) return undefined as never;
  const result = schema.safeParse(value);
  if (result.success) return result.data as never;
  const problems = result.error.issues.map(({ path, message }): ProblemEntry => ({
    detail: message,
    pointer: place + path.map(pointerPart).join(""),
  }));
  throw new RequestError(`the request is not valid: ${problems.map(({ detail }) => detail).join("; ")}`, problems);
}

function pointerPart(key: PropertyKey): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
