// The port to coding agents (CODE-12).
//
//   AP1. An agent is always fresh: a session is used for one task and one attempt (ruling 37).
//   AP2. `executeTask` ends only when nothing of the agent runs any more.
//   AP3. The output of an agent is written to its transcript on disk as it arrives; it is never held whole in memory.

import type { CodeTaskContext } from "../model/execution-session.ts";
import type { AgentUsage } from "./agent-event.ts";
import type { AgentOutcome } from "./agent-outcome.ts";
import type { ProcessStarter } from "./process-starter.ts";

/** The task, the workspace and the agent of a new session. */
export interface AgentSessionRequest {
  /** The id that the session gets. */
  readonly sessionId: string;
  /** The name of the agent that the task or the template chooses; undefined for the default agent. */
  readonly agent: string | undefined;
  /** The workflow that the task belongs to. */
  readonly workflowId: string;
  /** The task that the agent works on. */
  readonly taskId: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The folder in which the agent works. */
  readonly workspacePath: string;
  /** The branch of the task. */
  readonly taskBranch: string;
  /** The commit that the agent starts from. */
  readonly baseCommit: string;
  /** The task and its surroundings, as the agent gets them. */
  readonly context: CodeTaskContext;
  /** A folder outside the workspace, for the prompt, the context file, the result file and the transcript. */
  readonly folder: string;
}

/** The session of an agent. */
export interface AgentSession {
  readonly sessionId: string;
  /** The agent that will work, such as `command:claude`. */
  readonly agentId: string;
}

/** Limits and callbacks of an agent run. */
export interface AgentRunOptions {
  /** Aborts when the attempt should stop. */
  readonly signal: AbortSignal;
  /** Starts the processes of the agent. */
  readonly processes: ProcessStarter;
  /** The agent is ended after this time. */
  readonly timeoutMs?: number;
  /** The agent is ended if it writes nothing for this time. */
  readonly stallMs?: number;
  /** The agent is ended if its cost exceeds this. A function is told the cost so far each time that it is known. */
  readonly budgetUsd?: number | ((costUsd: number) => number);
  /** Gets what the agent says, line by line, as it says it. */
  readonly onLine?: (line: string) => void;
  /** Masks secrets before a text is kept (DATA-9). */
  readonly maskText?: (text: string) => string;
}

/** The result of an agent run. */
export interface AgentReport {
  readonly outcome: AgentOutcome;
  readonly usage: AgentUsage;
  /** The file with everything that the agent wrote. */
  readonly transcript?: string;
}

/** Runs coding agents in sessions. */
export interface AgentExecutor {
  /** Creates the session of an agent for a task. The agent does not run yet. */
  createSession(request: AgentSessionRequest): Promise<AgentSession>;
  /** Runs the agent of a session to its end. */
  executeTask(sessionId: string, options: AgentRunOptions): Promise<AgentReport>;
  /** The output so far, from this byte on. */
  getSessionOutput(sessionId: string, fromByte?: number): Promise<SessionOutput>;
  /** Ends the agent. Resolves when nothing of it runs any more. A session that has ended or does not exist is ignored. */
  terminateSession(sessionId: string): Promise<void>;
}

/** A part of the output of an agent. */
export interface SessionOutput {
  readonly text: string;
  readonly nextByte: number;
  readonly isEnded: boolean;
}
