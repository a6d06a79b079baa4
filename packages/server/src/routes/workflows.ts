// Routes about workflows: which the server offers, and how one is defined.

import { z } from "zod";

import { json } from "./schemas.ts";
import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

const summary = z.object({ name: z.string(), definition: z.string(), steps: z.int() }).meta({ id: "Workflow" });

const list: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/workflows",
  scope: "read",
  summary: "List the workflows that the server offers.",
  answers: { 200: { description: "The workflows, by name.", schema: z.object({ workflows: z.array(summary) }) } },
  handle: async (_, { workflows }) => ({
    kind: "json",
    status: 200,
    body: {
      workflows: workflows.names.map((name) => {
        const { registered } = workflows.get(name);
        return { name, definition: registered.hash, steps: registered.definition.steps.length };
      }),
    },
  }),
});

const get: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/workflows/{name}",
  scope: "read",
  summary: "Read the definition of a workflow, with the schema of its input.",
  params: z.strictObject({ name: z.string() }),
  answers: {
    200: { description: "The workflow.", schema: z.object({ name: z.string(), definition: z.string(), body: json }) },
  },
  handle: async ({ params: { name } }, { workflows }) => {
    const { registered } = workflows.get(name);
    const body = { name, definition: registered.hash, body: JSON.parse(registered.text) as unknown };
    return { kind: "json", status: 200, body };
  },
});

export const WORKFLOW_ROUTES: readonly ApiRoute[] = [list, get];
