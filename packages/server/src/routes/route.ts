// Routes as data: method, path, scope, schemas and the handler. The server registers them, the OpenAPI document lists them, and a
// test walks over them.
//
//   R1. A route has a scope, or is public by name. A route without one does not compile, and a plugin's does not start the server.
//   R2. The path, the query and the body are checked before the handler sees them. Unknown fields are refused.

import type { Engine, RegisteredWorkflow } from "@segno/engine";
import type { z } from "zod";

import type { TokenScope } from "../auth/scope.ts";
import type { StreamConnection } from "../streams/stream-connection.ts";

/** The method of a route. */
export type RouteMethod = "GET" | "POST" | "PUT" | "DELETE";

/** The caller of a route: the token that was sent, or for which the session acts. */
export interface ApiCaller {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** The hash of the token, by which limits count. */
  readonly hash: string;
}

/** The part of a server that every handler gets. */
export interface RouteContext {
  /** The engine that the server serves. */
  readonly engine: Engine;
  /** The workflow that the server offers under this name. Rejects with WORKFLOW_UNKNOWN if there is none. */
  workflow(name: string): Promise<RegisteredWorkflow>;
}

/** A request that the schemas of its route have checked. */
export interface ApiRequest<Params, Query, Body> {
  /** The parameters in the path. */
  readonly params: Params;
  /** The parameters behind the question mark. */
  readonly query: Query;
  /** The JSON of the body. */
  readonly body: Body;
  /** The size of the body in bytes. */
  readonly bodyBytes: number;
  /** The bytes of the body, as a signature covers them. */
  readonly rawBody: Uint8Array;
  /** The token that was sent, or for which the session acts. */
  readonly caller: ApiCaller;
  /** A header, by its name in small letters. */
  readonly header: (name: string) => string | undefined;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** The answer of a handler. Text is a body that is JSON already. */
export type Answer =
  | {
      readonly kind: "json";
      readonly status: number;
      readonly body: object | string;
      readonly headers?: AnswerHeaders;
    }
  | { readonly kind: "text"; readonly status: number; readonly type: string; readonly body: string }
  | { readonly kind: "empty"; readonly status: number; readonly headers?: AnswerHeaders }
  /** Lines or parts that are sent as they come. */
  | {
      readonly kind: "lines";
      readonly type: string;
      readonly lines: AsyncIterable<string | Uint8Array>;
      readonly headers?: AnswerHeaders;
    }
  /** A stream of events, which writes to the connection itself. */
  | { readonly kind: "events"; readonly open: (connection: StreamConnection) => Promise<void> };

/** The headers of an answer. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** The documented answer of a route with one status. */
export interface DocumentedAnswer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` if it is absent. */
  readonly type?: string;
  /** Types of the same content that a client can ask for by `Accept`. */
  readonly otherTypes?: readonly string[];
}

/** A route: its schemas, its documentation and its handler. */
export interface RouteSpec<Params, Query, Body> {
  readonly method: RouteMethod;
  /** With parameters in braces: `/v1/executions/{id}`. */
  readonly path: string;
  readonly scope: TokenScope | "public";
  readonly summary: string;
  readonly params?: z.ZodType<Params>;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** The largest body in bytes. The default is 10 MB. */
  readonly bodyMax?: number;
  readonly answers: Readonly<Record<number, DocumentedAnswer>>;
  readonly handle: (request: ApiRequest<Params, Query, Body>, context: RouteContext) => Promise<Answer>;
}

/** A route whose handler takes what its own schemas have checked. */
export type ApiRoute = RouteSpec<never, never, never>;

/** Ties the types of a handler to the schemas of its route. */
export function route<Params = unknown, Query = unknown, Body = unknown>(
  spec: RouteSpec<Params, Query, Body>,
): ApiRoute {
  return spec as unknown as ApiRoute;
}
