// Agents that are processes, by whichever protocol they are spoken to.

import type { ConfiguredAgents } from "./agent-configuration.ts";
import type {
  AgentExecutor,
  AgentReport,
  AgentRunOptions,
  AgentSession,
  AgentSessionRequest,
  SessionOutput,
} from "./agent-executor.ts";
import type { AgentToRun } from "./agent-run.ts";
import { AgentSessions } from "./agent-sessions.ts";
import { SessionFiles } from "./session-files.ts";
import { readTranscript } from "./transcript.ts";

/** The common part of agents that are processes. */
export abstract class ProcessAgents implements AgentExecutor {
  readonly #protocol: string;
  readonly #agents: ConfiguredAgents;
  readonly #sessions = new AgentSessions<Omit<AgentToRun, "request">>();

  constructor(protocol: string, agents: ConfiguredAgents) {
    this.#protocol = protocol;
    this.#agents = agents;
  }

  /** Throws unless all agents are configured; undefined is the default agent. Call it before anything is created. */
  check(names: readonly (string | undefined)[]): void {
    for (const name of names) this.#agents.find(name);
  }

  /** The name and the program of an agent. */
  describe(name: string | undefined): { readonly name: string; readonly program: string } {
    const found = this.#agents.find(name);
    return { name: found.name, program: found.preset.argv[0]! };
  }

  async createSession(request: AgentSessionRequest): Promise<AgentSession> {
    const { name, preset } = this.#agents.find(request.agent);
    this.#sessions.create(request, { preset, files: new SessionFiles(request.folder) });
    return { sessionId: request.sessionId, agentId: `${this.#protocol}:${name}` };
  }

  async executeTask(sessionId: string, options: AgentRunOptions): Promise<AgentReport> {
    const session = this.#sessions.existing(sessionId);
    const agent = { request: session.request, ...session.resource };
    const { stallMs } = agent.preset;
    const limits = { ...(stallMs === undefined ? {} : { stallMs }), ...options };
    return await session.run(options.signal, (signal) => this.run(agent, { ...limits, signal }));
  }

  async getSessionOutput(sessionId: string, fromByte: number = 0): Promise<SessionOutput> {
    const { resource, hasEnded } = this.#sessions.existing(sessionId);
    return await readTranscript(resource.files.transcript, fromByte, hasEnded);
  }

  async terminateSession(sessionId: string): Promise<void> {
    await this.#sessions.terminate(sessionId);
  }

  /** Runs an agent until nothing of it runs any more. */
  protected abstract run(agent: AgentToRun, options: AgentRunOptions): Promise<AgentReport>;
}
