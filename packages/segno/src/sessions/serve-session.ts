// The session of `segno serve`: an engine that runs all executions of the journal, and the API in front of it.

import { environmentSecrets, type BuiltWorkflow, type Engine } from "@segno/engine";
import type { AllowedKind, Hook, RunningServer, Tokens } from "@segno/server";

import { serve } from "../api/serve.ts";
import { readHooksFile } from "../document/hooks-file.ts";
import { importRegistered } from "../document/registered-modules.ts";
import type { ServedWorkflows } from "../document/served-workflows.ts";
import { settleCodeSteps } from "../journal/code-steps.ts";
import { tokensOf } from "../journal/journal-tokens.ts";
import { journalFile } from "../journal/journal-options.ts";
import { openSecrets, openToWork } from "../journal/open-engine.ts";
import type { WorkOptions } from "../journal/work-options.ts";
import type { StopSignals } from "../live/stop-signals.ts";
import { streamOutput } from "../live/stream-output.ts";
import type { View } from "../live/view.ts";
import { printFault } from "../reports/end-report.ts";
import { exitProcess } from "../terminal/process-exit.ts";
import { safeText } from "../terminal/safe-text.ts";
import { onBrokenPipe, type Terminal } from "../terminal/terminal.ts";
import type { TrustOptions } from "../worker/journal-trust.ts";

export interface ServeCommandOptions extends WorkOptions, TrustOptions {
  readonly port?: number;
  readonly host?: string;
  readonly hosts?: readonly string[];
  readonly allow?: readonly AllowedKind[];
  readonly hooks?: string;
}

export interface ServeSession {
  readonly served: Extract<ServedWorkflows, { readonly kind: "served" }>;
  readonly options: ServeCommandOptions;
  readonly terminal: Terminal;
  readonly view: View;
  readonly signals: StopSignals;
}

/** Running steps may take this long to finish when the server stops. Others start again with the next process. */
const DRAIN_MS = 5000;
/** The token for which login links are made. Nobody ever sees it. */
const FIRST_TOKEN = "admin";

/** Returns when a signal has stopped the server, and everything is closed. */
export async function runServer(session: ServeSession): Promise<void> {
  const { options, terminal, view, signals } = session;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  onBrokenPipe(stop);
  signals.listen((_, count) => (count === 1 ? stop() : exitProcess(signals.exitCode)));
  const modules = [...(options.import ?? []), ...session.served.modules];
  const hooks = options.hooks === undefined ? {} : await readHooksFile(options.hooks);
  const work: WorkOptions = modules.length === 0 ? options : { ...options, import: modules };
  const engine = await openToWork(work, printFault(view), "all", streamOutput(terminal, view));
  try {
    const server = await openServer(engine, modules, hooks, session);
    await printServer(server, engine, session);
    await stopped;
    view.printNote("stopping; requests and running steps have 5s to finish (Ctrl-C again: stop at once)");
    await server.close();
  } finally {
    await settleCodeSteps(engine);
    await engine.close({ drainMs: DRAIN_MS });
  }
}

async function openServer(
  engine: Engine,
  modules: readonly string[],
  hooks: Readonly<Record<string, Hook>>,
  { served, options, view }: ServeSession,
): Promise<RunningServer> {
  const { port, host, hosts, allow, secrets } = options;
  const { agents, workflows } = await importRegistered(modules);
  const reserved = [...served.called.map(({ name }) => name), ...workflows.flatMap(namesIn)];
  for (const definition of served.called) engine.register(definition);
  const onFault = printFault(view);
  if (isLoopback(host)) await makeFirstToken(tokensOf(engine));
  return serve(engine, {
    workflows: served.offered,
    contracts: { agents: Object.keys(agents), reserved, ...(allow === undefined ? {} : { allow }) },
    hooks,
    secrets: secrets === undefined ? environmentSecrets(process.env) : openSecrets(secrets, onFault),
    onFault: (error) => onFault(error, undefined, 0),
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(hosts === undefined ? {} : { hosts }),
  });
}

/** The name of a workflow and of those that it includes. */
function namesIn({ definition, children = [] }: BuiltWorkflow): readonly string[] {
  return [definition.name, ...children.flatMap(namesIn)];
}

function isLoopback(host: string | undefined): boolean {
  return host === undefined || ["127.0.0.1", "::1", "localhost"].includes(host);
}

/** The token itself is thrown away: people log in by a link, and programs get tokens of their own. */
async function makeFirstToken(tokens: Tokens): Promise<void> {
  if (!(await tokens.hasValid())) await tokens.create({ name: FIRST_TOKEN, scopes: ["admin"] });
}

async function printServer(
  server: RunningServer,
  engine: Engine,
  { options, terminal, view }: ServeSession,
): Promise<void> {
  const names = await server.workflows();
  const count = `${names.length} ${names.length === 1 ? "workflow" : "workflows"}`;
  terminal.print(`serving ${server.url}\n`);
  terminal.print(`${count}${names.length === 0 ? "" : `: ${names.map(safeText).join(", ")}`}\n`);
  const link = await newLoginLink(server);
  terminal.print(
    link === undefined
      ? `no login link: there is no token \`${FIRST_TOKEN}\` with the scope admin\n`
      : `log in once, within 10 minutes: ${link}\n`,
  );
  if (!engine.isOwner)
    view.printNote(
      `another process owns ${safeText(journalFile(options))} and runs its executions; this server posts to it, and takes over when it ends`,
    );
}

async function newLoginLink(server: RunningServer): Promise<string | undefined> {
  const now = Date.now();
  const record = (await server.tokens.list()).find(
    ({ name, scopes, expiresAt = Number.POSITIVE_INFINITY }) =>
      name === FIRST_TOKEN && scopes.includes("admin") && expiresAt > now,
  );
  return record === undefined ? undefined : server.loginLink(record.hash);
}
