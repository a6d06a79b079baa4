// The parts of a server that its own routes use beside the engine.

import type { Sessions } from "../auth/sessions.ts";
import type { Tokens } from "../auth/tokens.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { LiveStreams } from "../streams/live-streams.ts";
import type { ExecutionDocuments } from "./execution-document.ts";
import { route, type Answer, type ApiRequest, type ApiRoute, type RouteContext, type RouteSpec } from "./route.ts";
import type { ServerCatalogue } from "./server-catalogue.ts";

/** The tokens and the sessions of browsers. */
export interface ServerAccess {
  readonly tokens: Tokens;
  readonly sessions: Sessions;
}

export interface ServerParts extends RouteContext {
  readonly workflows: ServerCatalogue;
  readonly documents: ExecutionDocuments;
  readonly streams: LiveStreams;
  readonly access: ServerAccess;
  readonly hooks: Hooks;
}

interface OwnRouteSpec<Params, Query, Body> extends Omit<RouteSpec<Params, Query, Body>, "handle"> {
  readonly handle: (request: ApiRequest<Params, Query, Body>, parts: ServerParts) => Promise<Answer>;
}

/** A route of the server itself: its handler gets all parts. */
export function ownRoute<Params = unknown, Query = unknown, Body = unknown>(
  spec: OwnRouteSpec<Params, Query, Body>,
): ApiRoute {
  return route(spec as RouteSpec<Params, Query, Body>);
}
