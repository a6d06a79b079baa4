// `serve`: an engine behind an HTTP API.

import type { Server as HttpServer } from "node:http";

import type { Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";

import { RateLimit } from "../auth/rate-limit.ts";
import { Sessions } from "../auth/sessions.ts";
import { Tokens } from "../auth/tokens.ts";
import { HostCheck } from "../http/host-check.ts";
import { ExecutionDocuments } from "../routes/execution-document.ts";
import { ServerCatalogue } from "../routes/server-catalogue.ts";
import { LiveStreams } from "../streams/live-streams.ts";
import { Authenticator } from "./authenticator.ts";
import { createApp } from "./create-app.ts";
import { allRoutes } from "./all-routes.ts";
import { DEFAULTS, type RunningServer, type ServeOptions } from "./server-options.ts";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

const IDLE_CHECK_MS = 50;

/** Starts a server for an open engine. Closing the server does not close the engine. */
export async function serve(engine: Engine, options: ServeOptions = {}): Promise<RunningServer> {
  const { port = DEFAULTS.port, host = DEFAULTS.host, hosts = [], limits = {}, onFault = () => undefined } = options;
  const documents = options.documents;
  if (documents === undefined)
    throw new SegnoError(
      "OPTION_INVALID",
      "the store of this engine keeps no documents, so `documents` has to be given",
    );
  const tokens = new Tokens(documents);
  const sessions = new Sessions();
  const hostCheck = new HostCheck([...hosts, ...(LOOPBACK.has(host) ? [] : [host])]);
  const rate = new RateLimit({ rate: limits.rate ?? DEFAULTS.rate, burst: limits.burst ?? DEFAULTS.burst });
  const streamLimits = {
    perToken: limits.streamsPerToken ?? DEFAULTS.streamsPerToken,
    perServer: limits.streams ?? DEFAULTS.streams,
    heartbeatMs: limits.heartbeatMs ?? DEFAULTS.heartbeatMs,
  };
  const streams = new LiveStreams(engine, streamLimits, async (hash) => (await tokens.findByHash(hash)) !== undefined);
  const workflows = new ServerCatalogue();
  for (const workflow of options.workflows ?? []) {
    const registered = engine.register(workflow);
    workflows.add({ name: registered.definition.name, registered });
  }
  const app = createApp({
    routes: allRoutes(options.routes ?? []),
    parts: { engine, workflows, documents: new ExecutionDocuments(engine), streams },
    authenticator: new Authenticator({ tokens, sessions, hosts: hostCheck, rate }),
    hosts: hostCheck,
    timeouts: { headersMs: limits.headersMs ?? DEFAULTS.headersMs, requestMs: limits.requestMs ?? DEFAULTS.requestMs },
    onFault,
  });
  const stopListening = tokens.onRevoked((hash) => streams.end(hash));
  const url = await app.listen({ port, host });
  return {
    url,
    tokens,
    loginLink: (hash) => `${url}/login?code=${sessions.newCode(hash)}`,
    close: async () => {
      stopListening();
      streams.endAll();
      await closeApp(app.server, () => app.close(), limits.closeMs ?? DEFAULTS.closeMs);
    },
  };
}

/** A connection becomes idle when its answer is complete; node closes only those that are idle at the time of the call. */
async function closeApp(server: HttpServer, close: () => Promise<unknown>, closeMs: number): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  // A connection that never sends its whole request, or never takes its answer, would keep the server open.
  const cut = setTimeout(() => server.closeAllConnections(), closeMs);
  try {
    await close();
  } finally {
    clearInterval(idle);
    clearTimeout(cut);
  }
}
