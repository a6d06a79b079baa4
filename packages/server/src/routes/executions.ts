// Routes that start, list and read executions (HTTP-1 to HTTP-4).

import { randomUUID } from "node:crypto";

import { EXECUTION_STATUSES, SegnoError, type Json } from "@segno/kernel";
import { z } from "zod";

import { matchesTag } from "../http/entity-tag.ts";
import type { ExecutionDocument } from "./execution-document.ts";
import { executionParams, executionSchema, json, labels, listedSchema } from "./schemas.ts";
import { withoutAbsent } from "./without-absent.ts";
import type { Answer, AnswerHeaders, ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

const WAIT_MAX_S = 30;
/** HTTP-3: a call that waits may have a smaller body. */
const WAITING_BODY_MAX = 1024 * 1024;

const startBody = z.strictObject({
  workflow: z.string().min(1),
  input: json.optional(),
  id: z.string().min(1).max(255).optional(),
  priority: z.number().optional(),
  labels: labels.optional(),
  correlationId: z.string().min(1).max(255).optional(),
});

const start: ApiRoute = ownRoute({
  method: "POST",
  path: "/v1/executions",
  scope: "run",
  summary: "Start an execution. `Prefer: wait=N` waits up to 30 seconds for its result.",
  body: startBody,
  answers: {
    200: { description: "The execution has ended while the call waited.", schema: executionSchema },
    202: { description: "The execution has started.", schema: executionSchema },
  },
  handle: async ({ body, bodyBytes, header, signal }, parts) => {
    const waitS = waitSeconds(header("prefer"));
    if (waitS > 0 && bodyBytes > WAITING_BODY_MAX)
      throw new SegnoError("BODY_TOO_LARGE", `a call that waits may have ${WAITING_BODY_MAX} bytes, not ${bodyBytes}`);
    const { workflow, input, id = randomUUID(), ...rest } = body;
    const key = header("idempotency-key");
    const correlationId = rest.correlationId ?? header("x-correlation-id");
    const traceparent = header("traceparent");
    const { definition } = await parts.workflows.get(workflow);
    const handle = await parts.engine.start(definition.name, (input ?? null) as Json, {
      ...withoutAbsent(rest),
      id,
      ...(key === undefined ? {} : { idempotencyKey: unquoted(key) }),
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(traceparent === undefined ? {} : { traceparent }),
    });
    const replayed: AnswerHeaders = handle.id === id ? {} : { "Idempotency-Replayed": "true" };
    if (waitS > 0) await endOrTimeout(handle.result(), waitS, signal);
    const document = await parts.documents.read(handle.id);
    const isDone = waitS > 0 && document.isEnded;
    return documentAnswer(handle.id, document, { status: isDone ? 200 : 202, headers: replayed });
  },
});

/** The seconds of `Prefer: wait=N`, at most 30 (RFC 7240). */
function waitSeconds(prefer: string | undefined): number {
  for (const preference of prefer?.split(",") ?? []) {
    const wait = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:;.*)?$/iu.exec(preference);
    if (wait !== null) return Math.min(Number(wait[1]), WAIT_MAX_S);
  }
  return 0;
}

/** The draft of the header asks for a quoted string; most clients send it without quotes. */
function unquoted(key: string): string {
  return /^"(.*)"$/u.exec(key)?.[1] ?? key;
}

/** A client that disconnects cancels nothing. */
async function endOrTimeout(result: Promise<unknown>, seconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1000);
  const stop = (): void => resolve();
  signal.addEventListener("abort", stop);
  result.then(stop, stop);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
}

/** Every answer about one execution names its place, and has a tag and a cache rule (source 000). */
function documentAnswer(
  id: string,
  { body, tag, correlationId, retryAfter }: ExecutionDocument,
  { status, headers = {} }: { readonly status: number; readonly headers?: AnswerHeaders },
): Answer {
  return {
    kind: "json",
    status,
    body,
    headers: {
      Location: `/v1/executions/${encodeURIComponent(id)}`,
      ETag: tag,
      "Cache-Control": "max-age=0, must-revalidate",
      "X-Correlation-Id": encodeURI(correlationId),
      ...(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }),
      ...headers,
    },
  };
}

const get: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions/{id}",
  scope: "read",
  summary: "Read an execution: its status, its input and output, and its steps.",
  params: executionParams,
  answers: {
    200: { description: "The execution.", schema: executionSchema },
    304: { description: "The execution has not changed since the tag in `If-None-Match`." },
  },
  handle: async ({ params: { id }, header }, { documents }) => {
    const document = await documents.read(id);
    const answer = documentAnswer(id, document, { status: 200 });
    if (!matchesTag(header("if-none-match"), document.tag) || answer.kind !== "json") return answer;
    return { kind: "empty", status: 304, headers: answer.headers! };
  },
});

const listQuery = z.strictObject({
  status: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum([...EXECUTION_STATUSES])))
    .optional()
    .meta({ description: "One or more statuses, separated by commas." }),
  workflow: z.string().optional(),
  correlationId: z.string().optional(),
  since: z.coerce.number().int().optional().meta({ description: "Milliseconds since 1970." }),
  until: z.coerce.number().int().optional(),
  label: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ description: "`name=value`; may be repeated." }),
  text: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1000).optional(),
  cursor: z.string().optional(),
});

const list: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions",
  scope: "read",
  summary: "List executions, oldest first.",
  query: listQuery,
  answers: {
    200: {
      description: "A page of executions.",
      schema: z.object({ executions: z.array(listedSchema), cursor: z.string().optional() }),
    },
  },
  handle: async ({ query: { label, cursor, ...rest } }, { engine }) => {
    const filter = {
      ...withoutAbsent(rest),
      ...(label === undefined ? {} : { labels: readLabels(label) }),
    };
    return { kind: "json", status: 200, body: await engine.list(filter, cursor) };
  },
});

function readLabels(given: string | readonly string[]): Readonly<Record<string, string>> {
  const entries = (typeof given === "string" ? [given] : given).map((each): [string, string] => {
    const at = each.indexOf("=");
    if (at < 1) throw new SegnoError("LABEL_INVALID", "a label in a query is `name=value`");
    return [each.slice(0, at), each.slice(at + 1)];
  });
  return Object.fromEntries(entries);
}

const remove: ApiRoute = ownRoute({
  method: "DELETE",
  path: "/v1/executions/{id}",
  scope: "admin",
  summary: "Remove an execution that has ended, with its journal, values and logs.",
  params: executionParams,
  answers: { 204: { description: "The execution is removed." } },
  handle: async ({ params: { id } }, { engine }) => {
    await engine.remove(id);
    return { kind: "empty", status: 204 };
  },
});

export const EXECUTION_ROUTES: readonly ApiRoute[] = [start, list, get, remove];
