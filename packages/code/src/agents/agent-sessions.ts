// The sessions of an executor of agents in this process.
//
//   SE1. A session is executed at most once (AP1). The id of an ended session may be used for a new one: an attempt that does
//        not count, such as one that met a rate limit, is repeated with its id.
//   SE2. A session that is terminated before it is executed ends as cancelled when it is executed.
//   SE3. An ended session may be replaced by one with the same id: an attempt that met a rate limit does not count, so the
//        next attempt has the same number.
//   SE4. Ended sessions are kept for reading their output, up to a limit.

import { CodeError } from "../errors/code-error.ts";
import type { AgentReport, AgentSessionRequest } from "./agent-executor.ts";

const ENDED_MAX = 1000;

export class AgentSessions<Resource> {
  readonly #sessions = new Map<string, SessionEntry<Resource>>();

  create(request: AgentSessionRequest, resource: Resource): void {
    const { sessionId } = request;
    if (this.#sessions.get(sessionId)?.hasEnded === false)
      throw new CodeError("AGENT_SESSION_USED", `the session \`${sessionId}\` exists already`);
    // A new session is the youngest one.
    this.#sessions.delete(sessionId);
    this.#forgetOldest();
    this.#sessions.set(sessionId, new SessionEntry(request, resource));
  }

  existing(sessionId: string): SessionEntry<Resource> {
    const entry = this.#sessions.get(sessionId);
    if (entry === undefined) throw new CodeError("AGENT_SESSION_UNKNOWN", `there is no session \`${sessionId}\``);
    return entry;
  }

  /** Resolves when nothing of the session runs any more. */
  async terminate(sessionId: string): Promise<void> {
    const entry = this.#sessions.get(sessionId);
    entry?.abort();
    await entry?.whenEnded();
  }

  /** SE4. */
  #forgetOldest(): void {
    const ended = [...this.#sessions.values()].filter(({ hasEnded }) => hasEnded);
    for (const { request } of ended.slice(0, ended.length - ENDED_MAX + 1)) this.#sessions.delete(request.sessionId);
  }
}

class SessionEntry<Resource> {
  readonly request: AgentSessionRequest;
  readonly resource: Resource;
  readonly #controller = new AbortController();
  #run: Promise<AgentReport> | undefined;
  #hasEnded = false;

  constructor(request: AgentSessionRequest, resource: Resource) {
    this.request = request;
    this.resource = resource;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Runs the session with a signal that aborts when the attempt is cancelled or the session is terminated. */
  async run(signal: AbortSignal, execute: (signal: AbortSignal) => Promise<AgentReport>): Promise<AgentReport> {
    if (this.#run !== undefined)
      throw new CodeError("AGENT_SESSION_USED", `the session \`${this.request.sessionId}\` was executed already`);
    const combined = AbortSignal.any([signal, this.#controller.signal]);
    this.#run = combined.aborted ? Promise.resolve({ outcome: { kind: "cancelled" }, usage: {} }) : execute(combined);
    try {
      return await this.#run;
    } finally {
      this.#hasEnded = true;
    }
  }

  abort(): void {
    this.#controller.abort();
    this.#hasEnded ||= this.#run === undefined;
  }

  async whenEnded(): Promise<void> {
    await this.#run?.catch(() => {});
  }
}
