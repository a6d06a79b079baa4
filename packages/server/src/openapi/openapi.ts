// The OpenAPI document: made from the routes, so that it cannot differ from them (HTTP-6).

import { z } from "zod";

import type { DocumentedAnswer, ApiRoute } from "../routes/route.ts";
import { problemSchema } from "../routes/schemas.ts";

const VERSION = "0.1.0";

/** The document for these routes, as plain JSON. */
export function openApiDocument(routes: readonly ApiRoute[]): object {
  const components = new Map<string, object>();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operation(route, components);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Segno",
      version: VERSION,
      description: "Durable workflows: start, inspect and control executions.",
    },
    security: [{ token: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

/** The document as it is committed. */
export function openApiText(routes: readonly ApiRoute[]): string {
  return `${JSON.stringify(openApiDocument(routes), undefined, 2)}\n`;
}

function operation(route: ApiRoute, components: Map<string, object>): object {
  const { scope, summary, params, query, body, answers } = route;
  const parameters = [...parametersOf(params, "path", components), ...parametersOf(query, "query", components)];
  return {
    operationId: operationId(route),
    summary,
    ...(scope === "public" ? { security: [] } : { "x-scope": scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: toSchema(body, components, "input") } },
          },
        }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, response(answer, components)])),
      default: response(
        { description: "A problem.", schema: problemSchema, type: "application/problem+json" },
        components,
      ),
    },
  };
}

/** `POST /v1/executions/{id}/cancel` is `postExecutionsIdCancel`. */
function operationId({ method, path }: ApiRoute): string {
  const words = path.replace(/^\/v1/u, "").match(/\w+/gu) ?? [];
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

function parametersOf(
  schema: z.ZodType | undefined,
  place: "path" | "query",
  components: Map<string, object>,
): readonly object[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toSchema(schema, components, "input") as {
    readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function response(
  { description, schema, type = "application/json", otherTypes = [] }: DocumentedAnswer,
  components: Map<string, object>,
): object {
  if (schema === undefined && type === "application/json") return { description };
  const content = schema === undefined ? {} : { schema: toSchema(schema, components, "output") };
  return { description, content: { [type]: content, ...Object.fromEntries(otherTypes.map((other) => [other, {}])) } };
}

/** Schemas with an id become components, and are referred to. */
function toSchema(schema: z.ZodType, components: Map<string, object>, io: "input" | "output"): object {
  const {
    $defs = {},
    $schema: _,
    ...own
  } = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline" }) as {
    readonly $defs?: Readonly<Record<string, object>>;
    readonly $schema?: string;
  };
  for (const [name, part] of Object.entries($defs)) components.set(name, moveReferences(part));
  return moveReferences(own);
}

function moveReferences(schema: object): object {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as object;
}
