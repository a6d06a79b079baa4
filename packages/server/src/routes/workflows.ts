// Routes about workflows: which the server offers, how one is defined, and contracts that are put by the API.

import { loadDefinition } from "@segno/contract";
import { z } from "zod";

import { RequestError } from "../errors/problem.ts";
import { json } from "./schemas.ts";
import type { ApiRoute } from "./route.ts";
import { ownRoute } from "./server-parts.ts";

const summary = z.object({ name: z.string(), definition: z.string(), steps: z.int() }).meta({ id: "Workflow" });
const workflowParams = z.strictObject({ name: z.string().min(1).max(128) });

const list: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/workflows",
  scope: "read",
  summary: "List the workflows that the server offers.",
  answers: { 200: { description: "The workflows, by name.", schema: z.object({ workflows: z.array(summary) }) } },
  handle: async (_, { workflows }) => {
    const found: object[] = [];
    for (const name of await workflows.names()) {
      const { hash, definition } = await workflows.get(name);
      found.push({ name, definition: hash, steps: definition.steps.length });
    }
    return { kind: "json", status: 200, body: { workflows: found } };
  },
});

const get: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/workflows/{name}",
  scope: "read",
  summary: "Read the definition of a workflow, with the schema of its input.",
  params: workflowParams,
  answers: {
    200: { description: "The workflow.", schema: z.object({ name: z.string(), definition: z.string(), body: json }) },
  },
  handle: async ({ params: { name } }, { workflows }) => {
    const { hash, text } = await workflows.get(name);
    return { kind: "json", status: 200, body: { name, definition: hash, body: JSON.parse(text) as unknown } };
  },
});

const versionSchema = z
  .object({
    number: z.int(),
    definition: z.string(),
    version: z.string().optional(),
    createdAt: z.int(),
    by: z.string(),
  })
  .meta({ id: "WorkflowVersion" });

const putBody = z.union([
  z.strictObject({ contract: z.record(z.string(), json).meta({ description: "The contract as JSON." }) }),
  z.strictObject({ text: z.string().meta({ description: "The contract as text, in YAML or JSON." }) }),
]);

const put: ApiRoute = ownRoute({
  method: "PUT",
  path: "/v1/workflows/{name}",
  scope: "define",
  summary: "Put a contract as the current version of a workflow. The server decides which kinds of steps it may have.",
  params: workflowParams,
  body: putBody,
  answers: {
    200: { description: "The contract is the current version already.", schema: versionSchema },
    201: { description: "The contract is a new version.", schema: versionSchema },
  },
  handle: async ({ params: { name }, body, caller }, { workflows }) => {
    const text = "text" in body ? body.text : JSON.stringify(body.contract);
    const definition = await loadDefinition(text, { file: "contract" });
    if (definition.name !== name) {
      const detail = `the contract has the name \`${definition.name}\`, and the path has \`${name}\``;
      throw new RequestError(detail, [{ detail, pointer: "/path/name" }]);
    }
    const { isNew, ...version } = await workflows.put(definition, caller.name);
    return { kind: "json", status: isNew ? 201 : 200, body: version };
  },
});

const versions: ApiRoute = ownRoute({
  method: "GET",
  path: "/v1/workflows/{name}/versions",
  scope: "read",
  summary: "List the versions of a workflow that were put by the API, the newest first.",
  params: workflowParams,
  answers: { 200: { description: "The versions.", schema: z.object({ versions: z.array(versionSchema) }) } },
  handle: async ({ params: { name } }, { workflows }) => ({
    kind: "json",
    status: 200,
    body: { versions: await workflows.versions(name) },
  }),
});

export const WORKFLOW_ROUTES: readonly ApiRoute[] = [list, get, put, versions];
