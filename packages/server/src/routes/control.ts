// Routes that control an execution: the commands of a handle (HTTP-5).

import type { CommandResult, ExecutionHandle } from "@segno/engine";
import type { Json } from "@segno/kernel";
import { z } from "zod";

import { commandResultSchema, executionParams, json } from "./schemas.ts";
import { withoutAbsent } from "./without-absent.ts";
import type { Answer, ApiRoute } from "./route.ts";
import { ownRoute, type ServerParts } from "./server-parts.ts";

const RESULT = {
  200: {
    description: "The execution has taken the command, or ignored it for the given reason.",
    schema: commandResultSchema,
  },
  202: { description: "Another process owns the execution and will take the command.", schema: commandResultSchema },
};

const cancelBody = z.strictObject({
  mode: z.enum(["abort", "drain"]).optional(),
  reason: z.string().optional(),
  graceMs: z.int().min(0).optional(),
  compensate: z.boolean().optional(),
});
const retryBody = z.strictObject({ undo: z.boolean().optional(), tolerated: z.boolean().optional() });
const emptyBody = z.strictObject({});

interface ControlSpec<Body> {
  readonly verb: string;
  readonly summary: string;
  readonly body: z.ZodType<Body>;
  readonly send: (handle: ExecutionHandle, body: Body) => Promise<CommandResult>;
}

function control<Body>({ verb, summary, body, send }: ControlSpec<Body>): ApiRoute {
  return ownRoute({
    method: "POST",
    path: `/v1/executions/{id}/${verb}`,
    scope: "run",
    summary,
    params: executionParams,
    body,
    answers: RESULT,
    handle: async (request, parts) => resultAnswer(request.params.id, parts, (handle) => send(handle, request.body)),
  });
}

async function resultAnswer(
  id: string,
  { engine }: ServerParts,
  send: (handle: ExecutionHandle) => Promise<CommandResult>,
): Promise<Answer> {
  const result = await send(await engine.get(id));
  const headers = { Location: `/v1/executions/${encodeURIComponent(id)}` };
  return { kind: "json", status: result.kind === "posted" ? 202 : 200, body: result, headers };
}

const signal: ApiRoute = ownRoute({
  method: "POST",
  path: "/v1/executions/{id}/signals/{name}",
  scope: "run",
  summary: "Send a signal. It counts once by its id.",
  params: executionParams.extend({ name: z.string() }),
  body: z.strictObject({ payload: json.optional(), id: z.string().optional() }),
  answers: RESULT,
  handle: async ({ params, body: { payload = null, id } }, parts) =>
    resultAnswer(params.id, parts, (handle) =>
      handle.signal(params.name, payload as Json, id === undefined ? {} : { id }),
    ),
});

const voteBody = z.strictObject({
  step: z.string(),
  verdict: z.enum(["approve", "reject", "changes"]),
  comment: z.string().optional(),
  answer: json.optional(),
  id: z.string().optional(),
});

const vote: ApiRoute = ownRoute({
  method: "POST",
  path: "/v1/executions/{id}/votes",
  scope: "approve",
  summary: "Vote on an approval. The voter is the name of the token.",
  params: executionParams,
  body: voteBody,
  answers: RESULT,
  handle: async ({ params, body, caller }, parts) =>
    resultAnswer(params.id, parts, (handle) => cast(handle, caller.name, body)),
});

function cast(
  handle: ExecutionHandle,
  by: string,
  { step, verdict, comment, answer, id }: z.infer<typeof voteBody>,
): Promise<CommandResult> {
  const options = {
    by,
    ...(comment === undefined ? {} : { comment }),
    ...(answer === undefined ? {} : { answer: answer as Json }),
    ...(id === undefined ? {} : { id }),
  };
  if (verdict === "changes") return handle.requestChanges(step, { ...options, comment: comment ?? "" });
  return handle[verdict](step, options);
}

export const CONTROL_ROUTES: readonly ApiRoute[] = [
  control({
    verb: "cancel",
    summary: "Cancel an execution.",
    body: cancelBody,
    send: (handle, body) => handle.cancel(withoutAbsent(body)),
  }),
  control({
    verb: "pause",
    summary: "Start no further step until it is resumed.",
    body: emptyBody,
    send: (handle) => handle.pause(),
  }),
  control({
    verb: "resume",
    summary: "Continue a paused or parked execution.",
    body: emptyBody,
    send: (handle) => handle.resume(),
  }),
  control({
    verb: "retry",
    summary: "Run again what failed.",
    body: retryBody,
    send: (handle, body) => handle.retry(withoutAbsent(body)),
  }),
  signal,
  vote,
];
