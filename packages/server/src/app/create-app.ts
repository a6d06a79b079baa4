// The fastify application: every request passes the same checks in the same order (HTTP-7).
//
//   W1. The order is: name of the host, token, scope, limit of requests, schema, handler. No route can leave one out.
//   W2. A route without a scope stops the start of the server.
//   W3. Every answer that is not a success is a problem document, also those of fastify itself.

import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { SegnoError } from "@segno/kernel";

import type { OpenRequests } from "../auth/open-requests.ts";
import type { HostCheck } from "../http/host-check.ts";
import type { ApiRoute } from "../routes/route.ts";
import type { ServerParts } from "../routes/server-parts.ts";
import { sendAnswer, sendProblem } from "./answer-writer.ts";
import type { Authenticator } from "./authenticator.ts";
import { BrokenRequests } from "./broken-requests.ts";
import { parseBody } from "./body-parser.ts";
import { readRequest } from "./request-reader.ts";

export interface AppParts {
  readonly routes: readonly ApiRoute[];
  readonly parts: ServerParts;
  readonly authenticator: Authenticator;
  readonly hosts: HostCheck;
  readonly timeouts: AppTimeouts;
  readonly requests: OpenRequests;
  readonly onFault: (error: unknown) => void;
}

/** The milliseconds in which the headers, and the whole request, have to arrive. */
export interface AppTimeouts {
  readonly headersMs: number;
  readonly requestMs: number;
}

/** HTTP-3. */
const BODY_MAX = 10 * 1024 * 1024;
const KEEP_ALIVE_MS = 65_000;
/** A request whose token was revoked may write its last bytes for this long. */
const ENDING_MS = 1000;

const SECURITY_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
};

declare module "fastify" {
  interface FastifyContextConfig {
    readonly scope?: ApiRoute["scope"];
  }
}

export function createApp(app: AppParts): FastifyInstance {
  const { headersMs, requestMs } = app.timeouts;
  const broken = new BrokenRequests();
  const server = fastify({
    bodyLimit: BODY_MAX,
    requestTimeout: requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: headersMs,
      maxHeaderSize: 16 * 1024,
      // Node looks for late requests only this often, and by default every 30 seconds.
      connectionsCheckingInterval: Math.ceil(headersMs / 4),
      // The check of the name of the host answers with a problem document.
      requireHostHeader: false,
    },
    clientErrorHandler: (fault, socket) => broken.answer(fault, socket),
    routerOptions: { ignoreTrailingSlash: false, caseSensitive: true, maxParamLength: 1000 },
    exposeHeadRoutes: true,
    forceCloseConnections: "idle",
    frameworkErrors: (error, _, reply) => void sendProblem(reply, toSegnoError(error), identity),
  });
  server.addHook("onRoute", ({ url, config }) => {
    if (config?.scope === undefined) throw new SegnoError("OPTION_INVALID", `the route ${url} has no scope`);
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, parseBody);
  server.addHook("onRequest", async (request, reply) => {
    broken.watch(request.socket, reply.raw);
    reply.headers(SECURITY_HEADERS);
    assertOneHost(request.raw);
    app.hosts.assertKnown(request.headers.host, request.socket.localPort ?? 0);
  });
  server.setErrorHandler(async (error, _, reply) => {
    const known = toSegnoError(error);
    if (!(known instanceof SegnoError)) app.onFault(error);
    await sendProblem(reply, known, (text) => app.parts.engine.mask(text));
  });
  server.setNotFoundHandler(async (request) => {
    await app.authenticator.authenticate(request, "read");
    throw new SegnoError("ROUTE_UNKNOWN", "there is no such route");
  });
  for (const route of app.routes) register(server, route, app);
  return server;
}

/** A proxy before the server may have read another name than the server: the other of two, or that of the address (RFC 9112, 3.2). */
function assertOneHost({ rawHeaders, url = "" }: FastifyRequest["raw"]): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) throw new SegnoError("REQUEST_INVALID", "the request has more than one Host header");
  if (!url.startsWith("/")) throw new SegnoError("REQUEST_INVALID", "the target of the request is not a path");
}

function register(server: FastifyInstance, route: ApiRoute, app: AppParts): void {
  const { method, path, scope, bodyMax } = route;
  server.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/gu, ":$1"),
    config: { scope },
    ...(bodyMax === undefined ? {} : { bodyLimit: bodyMax }),
    // The body is read only for callers who may use the route.
    ...(scope === "public" ? {} : { onRequest: (request) => remember(request, app, scope) }),
    handler: (request, reply) => handle(request, reply, route, app),
  });
}

const CALLERS = new WeakMap<FastifyRequest, Awaited<ReturnType<Authenticator["authenticate"]>>>();
const NOBODY = { name: "", scopes: [], hash: "" };

async function remember(
  request: FastifyRequest,
  { authenticator }: AppParts,
  scope: Exclude<ApiRoute["scope"], "public">,
): Promise<void> {
  CALLERS.set(request, await authenticator.authenticate(request, scope));
}

async function handle(
  request: FastifyRequest,
  reply: FastifyReply,
  route: ApiRoute,
  app: AppParts,
): Promise<FastifyReply> {
  const leaving = new AbortController();
  const caller = CALLERS.get(request) ?? NOBODY;
  reply.raw.once("close", () => leaving.abort());
  if (caller !== NOBODY) endWithToken(caller.hash, reply, leaving, app.requests);
  const read = readRequest(request, route, caller, leaving.signal);
  await sendAnswer(reply, await route.handle(read, app.parts), leaving.signal);
  return reply;
}

/** The request ends when its token is revoked (O1). */
function endWithToken(hash: string, { raw }: FastifyReply, leaving: AbortController, requests: OpenRequests): void {
  const forget = requests.add(hash, () => {
    leaving.abort();
    setTimeout(() => raw.destroy(), ENDING_MS).unref();
  });
  raw.once("close", forget);
}

function identity(text: string): string {
  return text;
}

/** Errors of fastify have codes of their own. */
function toSegnoError(error: unknown): unknown {
  if (error instanceof SegnoError || !(error instanceof Error)) return error;
  const { code = "", statusCode = 500 } = error as { readonly code?: string; readonly statusCode?: number };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new SegnoError("BODY_TOO_LARGE", "the body has more bytes than this route allows");
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new SegnoError("MEDIA_TYPE_UNSUPPORTED", "the type of the body cannot be read");
  if (statusCode >= 400 && statusCode < 500) return new SegnoError("REQUEST_INVALID", "the request cannot be read");
  return error;
}
