// Routes about the server itself: whether it lives, whether it is ready, and its API.

import { z } from "zod";

import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

const health: ApiRoute = ownRoute({
  method: "GET",
  path: "/healthz",
  scope: "public",
  summary: "Whether the process answers.",
  answers: { 200: { description: "It does.", schema: z.object({ status: z.literal("ok") }) } },
  handle: async () => ({ kind: "json", status: 200, body: { status: "ok" } }),
});

const readiness: ApiRoute = ownRoute({
  method: "GET",
  path: "/readyz",
  scope: "public",
  summary: "Whether the server takes work: the store answers.",
  answers: {
    200: { description: "It does.", schema: z.object({ status: z.literal("ready") }) },
    503: { description: "The store does not answer.", schema: z.object({ status: z.literal("not ready") }) },
  },
  handle: async (_, { engine }) => {
    const isReady = await engine.list({ limit: 1 }).then(
      () => true,
      () => false,
    );
    return { kind: "json", status: isReady ? 200 : 503, body: { status: isReady ? "ready" : "not ready" } };
  },
});

const engineState: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/engine",
  scope: "read",
  summary: "The work that this process has now, and whether it owns the journal.",
  answers: { 200: { description: "The state of the engine.", schema: z.looseObject({ isOwner: z.boolean() }) } },
  handle: async (_, { engine }) => {
    const { isQuiet, executions } = engine.extensions.workload();
    const runningSteps = executions.reduce((sum, each) => sum + each.runningSteps, 0);
    const trouble = engine.lastFault === undefined ? {} : { trouble: describeFault(engine, engine.lastFault) };
    const body = { isOwner: engine.isOwner, isQuiet, executionsInMemory: executions.length, runningSteps, ...trouble };
    return { kind: "json", status: 200, body };
  },
});

function describeFault(engine: { mask(text: string): string }, fault: unknown): string {
  return engine.mask(fault instanceof Error ? fault.message : String(fault));
}

export const SERVER_ROUTES: readonly ApiRoute[] = [health, readiness, engineState];
