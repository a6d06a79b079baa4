// `serve`: an engine behind an HTTP API.

import {
  environmentSecrets,
  type BuiltWorkflow,
  type DocumentStore,
  type Engine,
  type RegisteredWorkflow,
} from "@segno/engine";
import { SegnoError, type Definition } from "@segno/kernel";
import type { FastifyInstance } from "fastify";

import { OpenRequests } from "../auth/open-requests.ts";
import { RateLimit } from "../auth/rate-limit.ts";
import { Sessions } from "../auth/sessions.ts";
import { Tokens } from "../auth/tokens.ts";
import { StoredWorkflows } from "../contracts/stored-workflows.ts";
import { checkHooks } from "../hooks/hook.ts";
import { Hooks } from "../hooks/hooks.ts";
import { HostCheck } from "../http/host-check.ts";
import { ExecutionDocuments } from "../routes/execution-document.ts";
import { ServerCatalogue } from "../routes/server-catalogue.ts";
import type { ServerParts } from "../routes/server-parts.ts";
import { LiveStreams } from "../streams/live-streams.ts";
import { Authenticator } from "./authenticator.ts";
import { createApp } from "./create-app.ts";
import { allRoutes } from "./all-routes.ts";
import { DEFAULTS, type RunningServer, type ServeOptions } from "./server-options.ts";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);
const IDLE_CHECK_MS = 50;

/**
 * Starts a server for an open engine. Closing the server does not close the engine. A server on another address than loopback
 * needs a token in the store.
 */
export async function serve(engine: Engine, options: ServeOptions = {}): Promise<RunningServer> {
  const { port = DEFAULTS.port, host = DEFAULTS.host, hosts = [], limits = {}, onFault = () => undefined } = options;
  const parts = composeParts(engine, documentsOf(engine, options), options);
  const { streams, workflows } = parts;
  const { tokens, sessions } = parts.access;
  await assertGuarded(host, tokens);
  await parts.hooks.assertSecrets();
  const hostCheck = new HostCheck([...hosts, ...(LOOPBACK.has(host) ? [] : [host])]);
  const rate = new RateLimit({ rate: limits.rate ?? DEFAULTS.rate, burst: limits.burst ?? DEFAULTS.burst });
  const requests = new OpenRequests(tokens, onFault);
  try {
    const app = createApp({
      routes: allRoutes(options.routes ?? []),
      parts,
      authenticator: new Authenticator({ tokens, sessions, hosts: hostCheck, rate }),
      hosts: hostCheck,
      requests,
      timeouts: {
        headersMs: limits.headersMs ?? DEFAULTS.headersMs,
        requestMs: limits.requestMs ?? DEFAULTS.requestMs,
      },
      onFault,
    });
    // Unfinished executions may call workflows that were put by the API.
    await workflows.names();
    const url = await listen(app, { port, host });
    return {
      url,
      tokens,
      loginLink: (hash) => `${url}/login?code=${sessions.newCode(hash)}`,
      workflows: () => workflows.names(),
      close: async () => {
        requests[Symbol.dispose]();
        streams.endAll();
        await closeInTime(app, limits.closeMs ?? DEFAULTS.closeMs);
      },
    };
  } catch (error) {
    requests[Symbol.dispose]();
    throw error;
  }
}

function documentsOf(engine: Engine, options: ServeOptions): DocumentStore {
  const documents = options.documents ?? engine.extensions.documents;
  if (documents !== undefined) return documents;
  throw new SegnoError("OPTION_INVALID", "the store of this engine keeps no documents, so `documents` has to be given");
}

function composeParts(engine: Engine, documents: DocumentStore, options: ServeOptions): ServerParts {
  const { limits = {}, contracts = {}, onFault = () => undefined } = options;
  const fixed = new Map<string, RegisteredWorkflow>();
  for (const workflow of options.workflows ?? []) {
    const registered = engine.register(workflow);
    fixed.set(registered.definition.name, registered);
  }
  const reserved = new Set([...(contracts.reserved ?? []), ...(options.workflows ?? []).flatMap(namesIn)]);
  const isReserved = (name: string): boolean => reserved.has(name);
  const stored = new StoredWorkflows({ engine, documents, rules: contracts, isReserved, onFault });
  const workflows = new ServerCatalogue(fixed, stored, isReserved);
  return {
    engine,
    workflow: (name) => workflows.get(name),
    workflows,
    documents: new ExecutionDocuments(engine),
    streams: new LiveStreams(engine, {
      perToken: limits.streamsPerToken ?? DEFAULTS.streamsPerToken,
      perServer: limits.streams ?? DEFAULTS.streams,
      heartbeatMs: limits.heartbeatMs ?? DEFAULTS.heartbeatMs,
    }),
    access: { tokens: new Tokens(documents), sessions: new Sessions() },
    hooks: new Hooks(checkHooks(options.hooks ?? {}), options.secrets ?? environmentSecrets(process.env)),
  };
}

/** The name of a workflow and of those that it includes. */
function namesIn(workflow: Definition | BuiltWorkflow): readonly string[] {
  if (!("definition" in workflow)) return [workflow.name];
  return [workflow.definition.name, ...(workflow.children ?? []).flatMap(namesIn)];
}

/** Other machines may reach every address except loopback, so the first token has to exist before. */
async function assertGuarded(host: string, tokens: Tokens): Promise<void> {
  if (LOOPBACK.has(host) || (await tokens.hasValid())) return;
  throw new SegnoError(
    "OPTION_INVALID",
    `the server listens on ${host} only if there is a token; make one first, for example with \`segno token create\``,
  );
}

async function listen(app: FastifyInstance, { port, host }: { port: number; host: string }): Promise<string> {
  try {
    return await app.listen({ port, host });
  } catch (error) {
    await app.close();
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new SegnoError("OPTION_INVALID", `the server cannot listen on ${host}:${port}: ${error.message}`, {
      cause: error,
    });
  }
}

/** A request that waits for a result would keep the server open for half a minute. */
async function closeInTime(app: FastifyInstance, closeMs: number): Promise<void> {
  // A connection becomes idle when its answer is complete; node closes only those that are idle at the time of the call.
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const timer = setTimeout(() => app.server.closeAllConnections(), closeMs);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(timer);
  }
}
