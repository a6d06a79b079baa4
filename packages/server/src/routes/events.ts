// The live events of an execution.

import { SegnoError } from "@segno/kernel";
import { z } from "zod";

import { readEventId } from "../streams/live-streams.ts";
import { executionParams } from "./schemas.ts";
import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

const events: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions/{id}/events",
  scope: "read",
  summary: "Follow the events of an execution (Server-Sent Events). `Last-Event-ID` continues after an event.",
  params: executionParams,
  query: z.strictObject({ after: z.coerce.number().int().min(0).optional() }),
  answers: {
    200: { description: "Events, without gaps or repeats, until the execution ends.", type: "text/event-stream" },
  },
  handle: async ({ params: { id }, query: { after }, header, caller }, { engine, streams }) => {
    const handle = await engine.get(id);
    const since = after ?? readEventId(header("last-event-id"), id);
    const { seq } = await handle.status();
    if (since > seq) throw new SegnoError("EVENT_ID_INVALID", `the execution has ${seq} events, and ${since} is later`);
    return { kind: "events", open: (connection) => streams.follow(id, since, caller.hash, connection) };
  },
});

export const EVENT_ROUTES: readonly ApiRoute[] = [events];
