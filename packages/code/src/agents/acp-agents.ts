// Agents that speak the Agent Client Protocol (CODE-12).

import { AcpDialogue, type AcpRules } from "./acp-dialogue.ts";
import { ConfiguredAgents, type ProgramConfiguration } from "./agent-configuration.ts";
import type { AgentReport, AgentRunOptions } from "./agent-executor.ts";
import { runAgent, type AgentToRun } from "./agent-run.ts";
import { allowAll, type PermissionPolicy } from "./permission-policy.ts";
import { ProcessAgents } from "./process-agents.ts";

/** Options of `AcpAgents`. */
export interface AcpAgentsOptions {
  /** Commands that speak the protocol on their standard input and output, such as `gemini --acp`. */
  readonly agents: Readonly<Record<string, ProgramConfiguration>>;
  /** The agent of tasks that name none. An only agent is the default. */
  readonly default?: string;
  /** Decides about requests for permission; without it, all are granted. */
  readonly permissions?: PermissionPolicy;
  /** How long an agent may take to cancel its turn before its process is stopped. */
  readonly cancelGraceMs?: number;
}

const CANCEL_GRACE_MS = 5000;

/** Runs agents that speak the Agent Client Protocol on their standard input and output. */
export class AcpAgents extends ProcessAgents {
  readonly #rules: AcpRules;

  constructor({ agents, default: defaultName, permissions, cancelGraceMs }: AcpAgentsOptions) {
    super("acp", new ConfiguredAgents(agents, defaultName));
    this.#rules = { permissions: permissions ?? allowAll, cancelGraceMs: cancelGraceMs ?? CANCEL_GRACE_MS };
  }

  protected override run(agent: AgentToRun, options: AgentRunOptions): Promise<AgentReport> {
    const dialogueOptions = { ...this.#rules, cwd: agent.request.workspacePath, onLine: options.onLine };
    return runAgent(agent, options, (process, transcript) => new AcpDialogue(process, transcript, dialogueOptions));
  }
}
