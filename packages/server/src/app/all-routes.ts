import { openApiDocument } from "../openapi/openapi.ts";
import { APPROVAL_ROUTES } from "../routes/approvals.ts";
import { CONTROL_ROUTES } from "../routes/control.ts";
import { EVENT_ROUTES } from "../routes/events.ts";
import { EXECUTION_ROUTES } from "../routes/executions.ts";
import { HOOK_ROUTES } from "../routes/hooks.ts";
import { INSPECTION_ROUTES } from "../routes/inspection.ts";
import { LOGIN_ROUTES } from "../routes/login.ts";
import { route, type ApiRoute } from "../routes/route.ts";
import { json } from "../routes/schemas.ts";
import { SERVER_ROUTES } from "../routes/server-state.ts";
import { TOKEN_ROUTES } from "../routes/tokens.ts";
import { WORKFLOW_ROUTES } from "../routes/workflows.ts";

/** The routes of the server and those of plugins, with the route of the document that lists them. */
export function allRoutes(further: readonly ApiRoute[]): readonly ApiRoute[] {
  const routes: ApiRoute[] = [
    ...EXECUTION_ROUTES,
    ...CONTROL_ROUTES,
    ...INSPECTION_ROUTES,
    ...EVENT_ROUTES,
    ...APPROVAL_ROUTES,
    ...WORKFLOW_ROUTES,
    ...HOOK_ROUTES,
    ...TOKEN_ROUTES,
    ...LOGIN_ROUTES,
    ...SERVER_ROUTES,
    ...further,
  ];
  const document: ApiRoute = route({
    method: "GET",
    path: "/openapi.json",
    scope: "public",
    summary: "This document.",
    answers: { 200: { description: "The OpenAPI document.", schema: json } },
    handle: async () => ({ kind: "json", status: 200, body: openApiDocument(routes) }),
  });
  routes.push(document);
  return routes;
}
