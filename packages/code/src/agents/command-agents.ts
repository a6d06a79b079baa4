// Agents that are commands (CODE-12): any program that follows the contract, and the presets.

import { ConfiguredAgents, type CommandConfiguration } from "./agent-configuration.ts";
import type { AgentReport, AgentRunOptions } from "./agent-executor.ts";
import { runAgent, type AgentToRun } from "./agent-run.ts";
import { CommandDialogue } from "./command-dialogue.ts";
import { ProcessAgents } from "./process-agents.ts";

/** Options of `CommandAgents`. */
export interface CommandAgentsOptions {
  /** The commands, by the names that tasks use. */
  readonly agents: Readonly<Record<string, CommandConfiguration>>;
  /** The agent of tasks that name none. An only agent is the default. */
  readonly default?: string;
  /** How long an agent may run on silently after it has reported its result. */
  readonly resultGraceMs?: number;
}

const RESULT_GRACE_MS = 30_000;

/** Runs agents that are commands: a prompt in, changed files and a result out. */
export class CommandAgents extends ProcessAgents {
  readonly #resultGraceMs: number;

  constructor({ agents, default: defaultName, resultGraceMs = RESULT_GRACE_MS }: CommandAgentsOptions) {
    super("command", new ConfiguredAgents(agents, defaultName));
    this.#resultGraceMs = resultGraceMs;
  }

  protected override run(agent: AgentToRun, options: AgentRunOptions): Promise<AgentReport> {
    const dialogueOptions = { preset: agent.preset, resultGraceMs: this.#resultGraceMs, onLine: options.onLine };
    return runAgent(agent, options, (process, transcript) => new CommandDialogue(process, transcript, dialogueOptions));
  }
}
