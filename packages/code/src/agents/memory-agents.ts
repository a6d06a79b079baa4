// Agents in memory, for tests of programs that use an executor of agents. A script says how each task goes.

import { addUsage, type AgentUsage } from "./agent-event.ts";
import type {
  AgentExecutor,
  AgentReport,
  AgentRunOptions,
  AgentSession,
  AgentSessionRequest,
  SessionOutput,
} from "./agent-executor.ts";
import type { AgentOutcome } from "./agent-outcome.ts";
import { AgentSessions } from "./agent-sessions.ts";
import { AgentWatch } from "./agent-watch.ts";

/** The agent as a script sees it. */
export interface ScriptedAgent {
  readonly request: AgentSessionRequest;
  /** Aborts when the agent has to end. A script that goes on is not waited for. */
  readonly signal: AbortSignal;
  /** Writes a line of output. */
  readonly print: (line: string) => void;
  /** Adds to the usage of the agent. */
  readonly spend: (usage: AgentUsage) => void;
}

/** Does the work of one task; undefined means success. The workspace is an ordinary folder. */
export type AgentScript = (agent: ScriptedAgent) => AgentOutcome | undefined | Promise<AgentOutcome | undefined>;

/** The scripts of `MemoryAgents`. */
export interface MemoryAgentsOptions {
  /** By task id. A list has one script for each attempt, and the last one for all further attempts. */
  readonly tasks?: Readonly<Record<string, AgentScript | readonly AgentScript[]>>;
  /** The script of all other tasks; without it, they succeed and change nothing. */
  readonly otherwise?: AgentScript;
}

const SUCCEEDED: AgentOutcome = { kind: "succeeded" };

/** Scripted agents for tests. */
export class MemoryAgents implements AgentExecutor {
  readonly #options: MemoryAgentsOptions;
  readonly #sessions = new AgentSessions<OutputText>();
  readonly #requests: AgentSessionRequest[] = [];

  constructor(options: MemoryAgentsOptions = {}) {
    this.#options = options;
  }

  /** The sessions that were executed, in order. */
  get requests(): readonly AgentSessionRequest[] {
    return this.#requests;
  }

  async createSession(request: AgentSessionRequest): Promise<AgentSession> {
    this.#sessions.create(request, new OutputText());
    return { sessionId: request.sessionId, agentId: `memory:${request.agent ?? "default"}` };
  }

  async executeTask(sessionId: string, options: AgentRunOptions): Promise<AgentReport> {
    const session = this.#sessions.existing(sessionId);
    const { request, resource: output } = session;
    return await session.run(options.signal, (signal) => {
      const script = this.#script(request);
      this.#requests.push(request);
      return runScript(script, { request, output, options: { ...options, signal } });
    });
  }

  async getSessionOutput(sessionId: string, fromByte: number = 0): Promise<SessionOutput> {
    const { resource, hasEnded } = this.#sessions.existing(sessionId);
    return resource.read(fromByte, hasEnded);
  }

  async terminateSession(sessionId: string): Promise<void> {
    await this.#sessions.terminate(sessionId);
  }

  #script({ taskId }: AgentSessionRequest): AgentScript {
    const { tasks = {}, otherwise = () => SUCCEEDED } = this.#options;
    const scripts = Object.hasOwn(tasks, taskId) ? tasks[taskId]! : otherwise;
    if (typeof scripts === "function") return scripts;
    const earlier = this.#requests.filter((request) => request.taskId === taskId).length;
    return scripts[Math.min(earlier, scripts.length - 1)] ?? otherwise;
  }
}

interface ScriptRun {
  readonly request: AgentSessionRequest;
  readonly output: OutputText;
  readonly options: AgentRunOptions;
}

async function runScript(script: AgentScript, { request, output, options }: ScriptRun): Promise<AgentReport> {
  const { promise: isEnded, resolve: end } = Promise.withResolvers<undefined>();
  const controller = new AbortController();
  const watch = new AgentWatch(options, () => end(undefined));
  let usage: AgentUsage = {};
  const print = (line: string): void => {
    watch.hear();
    options.onLine?.(line);
    output.print((options.maskText ?? ((text) => text))(line));
  };
  const spend = (more: AgentUsage): void => {
    usage = addUsage(usage, more);
    watch.checkCost(usage);
  };
  try {
    const work = async (): Promise<AgentOutcome> =>
      (await script({ request, signal: controller.signal, print, spend })) ?? SUCCEEDED;
    const outcome = await Promise.race([work(), isEnded]);
    return { outcome: watch.intervention ?? outcome ?? SUCCEEDED, usage };
  } finally {
    watch.close();
    controller.abort();
  }
}

class OutputText {
  #bytes: Buffer = Buffer.alloc(0);

  print(line: string): void {
    this.#bytes = Buffer.concat([this.#bytes, Buffer.from(`${line}\n`)]);
  }

  read(fromByte: number, isEnded: boolean): SessionOutput {
    return { text: this.#bytes.toString("utf8", fromByte), nextByte: this.#bytes.length, isEnded };
  }
}
