// Routes for what the journal names by hash: definitions, and values that lie beside it. A client that folds the events of an
// execution needs both (EVENT-1).

import { contentHash, executionId, SegnoError, type State } from "@segno/kernel";
import type { Engine } from "@segno/engine";
import { z } from "zod";

import { executionParams, json } from "./schemas.ts";
import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

const HASHES_MAX = 100;
const hash = z.string().regex(/^sha256:[\da-f]{64}$/u, "a hash is `sha256:` and 64 hexadecimal digits");

const definition: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/definitions/{hash}",
  scope: "read",
  summary: "Read a definition by its hash: of a workflow of the server, or of one that an execution has used.",
  params: z.strictObject({ hash }),
  answers: { 200: { description: "The definition.", schema: json } },
  handle: async ({ params }, { engine }) => {
    const { program } = await initialState(engine, params.hash);
    return { kind: "json", status: 200, body: program.definition };
  },
});

async function initialState(engine: Engine, wanted: string): Promise<State> {
  try {
    return await engine.extensions.states.initial(contentHash(wanted));
  } catch (error) {
    if (!(error instanceof SegnoError) || error.code !== "DEFINITION_INVALID") throw error;
    throw new SegnoError("DEFINITION_UNKNOWN", `there is no definition ${wanted}`);
  }
}

const values: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/executions/{id}/values",
  scope: "read",
  summary: "Read values of an execution by their hashes, as its events name them.",
  params: executionParams,
  query: z.strictObject({
    hash: z
      .union([hash, z.array(hash).max(HASHES_MAX)])
      .meta({ description: `One hash, or up to ${HASHES_MAX}: the parameter may be repeated.` }),
  }),
  answers: {
    200: {
      description: "The values by hash. A value that was removed is absent.",
      schema: z.object({ values: z.record(z.string(), json) }),
    },
  },
  handle: async ({ params: { id }, query }, { engine }) => {
    await engine.get(id);
    const hashes = (typeof query.hash === "string" ? [query.hash] : query.hash).map(contentHash);
    const found = await engine.extensions.readValues(executionId(id), hashes);
    return { kind: "json", status: 200, body: { values: Object.fromEntries(found) } };
  },
});

export const CONTENT_ROUTES: readonly ApiRoute[] = [definition, values];
