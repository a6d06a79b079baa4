// The agents of a template behind one executor: commands, presets and programs that speak the Agent Client Protocol.

import { AcpAgents } from "./acp-agents.ts";
import type {
  AcpConfiguration,
  AgentConfiguration,
  CommandConfiguration,
  ProgramConfiguration,
} from "./agent-configuration.ts";
import type {
  AgentExecutor,
  AgentReport,
  AgentRunOptions,
  AgentSession,
  AgentSessionRequest,
  SessionOutput,
} from "./agent-executor.ts";
import { CommandAgents } from "./command-agents.ts";
import type { ProcessAgents } from "./process-agents.ts";

/** Options of `RoutedAgents`. */
export interface RoutedAgentsOptions {
  /** The configurations of agents, by the names that tasks use. */
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  /** The agent of tasks that name none. */
  readonly default?: string;
}

/** Runs each task with the agent that it names, by the protocol of that agent. */
export class RoutedAgents implements AgentExecutor {
  readonly #default: string | undefined;
  readonly #commands: CommandAgents;
  /** Undefined if no agent speaks the protocol. */
  readonly #acp: AcpAgents | undefined;
  readonly #acpNames: ReadonlySet<string>;
  /** The sessions of agents that speak the protocol. */
  readonly #acpSessions = new Set<string>();

  /** There is at least one command. */
  constructor({ agents, default: defaultName }: RoutedAgentsOptions) {
    const entries = Object.entries(agents);
    const acp = entries.filter((entry): entry is [string, AcpConfiguration] => "acp" in entry[1]);
    const commands = entries.filter((entry): entry is [string, CommandConfiguration] => !("acp" in entry[1]));
    this.#default = defaultName;
    this.#acpNames = new Set(acp.map(([name]) => name));
    this.#commands = new CommandAgents({ agents: Object.fromEntries(commands) });
    this.#acp = acp.length === 0 ? undefined : new AcpAgents({ agents: Object.fromEntries(acp.map(toProgram)) });
    if (defaultName !== undefined) this.check([defaultName]);
  }

  /** Throws unless all agents are configured; undefined is the default agent. Call it before anything is created. */
  check(names: readonly (string | undefined)[]): void {
    for (const name of names) this.describe(name);
  }

  /** The name and the program of an agent. */
  describe(name: string | undefined): { readonly name: string; readonly program: string } {
    const found = name ?? this.#default;
    return this.#executorOf(found).describe(found);
  }

  async createSession(request: AgentSessionRequest): Promise<AgentSession> {
    const agent = request.agent ?? this.#default;
    const executor = this.#executorOf(agent);
    const session = await executor.createSession({ ...request, agent });
    if (executor === this.#acp) this.#acpSessions.add(request.sessionId);
    return session;
  }

  executeTask(sessionId: string, options: AgentRunOptions): Promise<AgentReport> {
    return this.#sessionExecutor(sessionId).executeTask(sessionId, options);
  }

  getSessionOutput(sessionId: string, fromByte?: number): Promise<SessionOutput> {
    return this.#sessionExecutor(sessionId).getSessionOutput(sessionId, fromByte);
  }

  terminateSession(sessionId: string): Promise<void> {
    return this.#sessionExecutor(sessionId).terminateSession(sessionId);
  }

  #executorOf(agent: string | undefined): ProcessAgents {
    return agent !== undefined && this.#acp !== undefined && this.#acpNames.has(agent) ? this.#acp : this.#commands;
  }

  #sessionExecutor(sessionId: string): ProcessAgents {
    return this.#acp !== undefined && this.#acpSessions.has(sessionId) ? this.#acp : this.#commands;
  }
}

function toProgram([name, { acp, ...options }]: [string, AcpConfiguration]): [string, ProgramConfiguration] {
  return [name, { ...options, command: acp }];
}
