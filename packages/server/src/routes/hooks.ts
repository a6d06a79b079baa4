// Hooks: other systems start a workflow or send a signal. The signature of the request takes the place of a token.

import { randomUUID } from "node:crypto";

import type { Json } from "@segno/kernel";
import { z } from "zod";

import type { HookCall } from "../hooks/hooks.ts";
import { json } from "./schemas.ts";
import type { Answer, ApiRoute } from "./route.ts";
import { ownRoute, type ServerParts } from "./server-parts.ts";

const hookAnswer = z.looseObject({ execution: z.string() });

/** A caller without a token sends it, so it is small. */
const HOOK_BODY_MAX = 1024 * 1024;

const call: ApiRoute = ownRoute({
  method: "POST",
  path: "/v1/hooks/{name}",
  scope: "public",
  summary: "Start a workflow or send a signal, as the hook says. The request has to be signed with the hook's secret.",
  params: z.strictObject({ name: z.string() }),
  body: json,
  bodyMax: HOOK_BODY_MAX,
  answers: { 202: { description: "The execution that was started, or gets the signal.", schema: hookAnswer } },
  handle: async ({ params: { name }, body, rawBody, header }, parts) => {
    const hookCall = await parts.hooks.read(name, { rawBody, header, body: body as Json });
    return hookCall.action.kind === "start"
      ? start(hookCall, hookCall.action.workflow, parts)
      : signal(hookCall, hookCall.action, parts);
  },
});

async function start({ input, key }: HookCall, workflow: string, parts: ServerParts): Promise<Answer> {
  const { definition } = await parts.workflows.get(workflow);
  const id = randomUUID();
  const handle = await parts.engine.start(definition.name, input, { id, idempotencyKey: key });
  const replayed = handle.id === id ? {} : { "Idempotency-Replayed": "true" };
  return accepted(handle.id, { execution: handle.id }, replayed);
}

async function signal(
  { input, key }: HookCall,
  { signal: name, execution }: Extract<HookCall["action"], { readonly kind: "signal" }>,
  { engine }: ServerParts,
): Promise<Answer> {
  const handle = await engine.get(execution);
  const result = await handle.signal(name, input, { id: key });
  return accepted(execution, { execution, result });
}

function accepted(id: string, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
  const location = `/v1/executions/${encodeURIComponent(id)}`;
  return { kind: "json", status: 202, body, headers: { Location: location, ...headers } };
}

export const HOOK_ROUTES: readonly ApiRoute[] = [call];
