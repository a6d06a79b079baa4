// The live events of an execution, and of all executions.

import { EVENT_KINDS, SegnoError } from "@segno/kernel";
import { z } from "zod";

import { readEventId } from "../streams/event-text.ts";
import { executionParams } from "./schemas.ts";
import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";
import { withoutAbsent } from "./without-absent.ts";

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

const allQuery = z.strictObject({
  workflow: z.string().min(1).optional().meta({ description: "Only executions of this workflow." }),
  kinds: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum([...EVENT_KINDS])))
    .optional()
    .meta({ description: "Only events of these kinds, separated by commas." }),
});

const allEvents: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/events",
  scope: "read",
  summary:
    "Follow the events of all executions (Server-Sent Events). `snapshot` has the executions that have not ended, with the number " +
    "of the last event of each; later events follow. `resync` says that events were dropped for a slow reader; a new snapshot " +
    "follows. A reader that comes back starts with a snapshot.",
  query: allQuery,
  answers: { 200: { description: "A snapshot, and then events, until the reader leaves.", type: "text/event-stream" } },
  handle: async ({ query, caller }, { streams }) => {
    const filter = withoutAbsent(query);
    return { kind: "events", open: (connection) => streams.followAll(filter, caller.hash, connection) };
  },
});

export const EVENT_ROUTES: readonly ApiRoute[] = [events, allEvents];
