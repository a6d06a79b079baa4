// Agents that are commands (CODE-12): any program that follows the contract, and the presets.

import { AgentSessions } from "./agent-sessions.ts";
import { ConfiguredAgents, type AgentConfiguration } from "./agent-configuration.ts";
import type {
  AgentExecutor,
  AgentReport,
  AgentRunOptions,
  AgentSession,
  AgentSessionRequest,
  SessionOutput,
} from "./agent-executor.ts";
import { runCommand } from "./command-run.ts";
import type { AgentPreset } from "./presets.ts";
import { SessionFiles } from "./session-files.ts";
import { readTranscript } from "./transcript.ts";

export interface CommandAgentsOptions {
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  /** The agent of tasks that name none. An only agent is the default. */
  readonly default?: string;
  /** How long an agent may run on silently after it has reported its result. */
  readonly resultGraceMs?: number;
}

const RESULT_GRACE_MS = 30_000;

interface CommandAgentSession {
  readonly preset: AgentPreset;
  readonly files: SessionFiles;
}

export class CommandAgents implements AgentExecutor {
  readonly #agents: ConfiguredAgents;
  readonly #resultGraceMs: number;
  readonly #sessions = new AgentSessions<CommandAgentSession>();

  constructor({ agents, default: defaultName, resultGraceMs = RESULT_GRACE_MS }: CommandAgentsOptions) {
    this.#agents = new ConfiguredAgents(agents, defaultName);
    this.#resultGraceMs = resultGraceMs;
  }

  /** Throws unless all agents are configured; undefined is the default agent. Call it before anything is created. */
  check(names: readonly (string | undefined)[]): void {
    this.#agents.check(names);
  }

  /** The name and the program of an agent. */
  describe(name: string | undefined): { readonly name: string; readonly program: string } {
    const found = this.#agents.find(name);
    return { name: found.name, program: found.preset.argv[0]! };
  }

  async createSession(request: AgentSessionRequest): Promise<AgentSession> {
    const { name, preset } = this.#agents.find(request.agent);
    this.#sessions.create(request, { preset, files: new SessionFiles(request.folder) });
    return { sessionId: request.sessionId, agentId: `command:${name}` };
  }

  async executeTask(sessionId: string, options: AgentRunOptions): Promise<AgentReport> {
    const entry = this.#sessions.existing(sessionId);
    const command = { request: entry.request, ...entry.resource, resultGraceMs: this.#resultGraceMs };
    return await entry.run(options.signal, (signal) => runCommand(command, { ...options, signal }));
  }

  async getSessionOutput(sessionId: string, fromByte: number = 0): Promise<SessionOutput> {
    const { resource, hasEnded } = this.#sessions.existing(sessionId);
    return await readTranscript(resource.files.transcript, fromByte, hasEnded);
  }

  async terminateSession(sessionId: string): Promise<void> {
    await this.#sessions.terminate(sessionId);
  }
}
