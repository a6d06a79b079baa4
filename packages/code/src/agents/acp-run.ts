// One agent at work on one task by the Agent Client Protocol.
//
//   AR1. An agent that has to end is asked to cancel its turn first. If it does not within the grace period, its process
//        is stopped.
//   AR2. An agent that exits before its turn has ended has failed, whatever its exit code.
//   AR3. The transcript has the texts of the agent and the titles of its tool calls, not the messages of the protocol.

import { setTimeout as sleep } from "node:timers/promises";
import { AcpConnection, type AcpTurnEnd, type AcpUpdate, type StopReason } from "./acp-connection.ts";
import { AcpTranscript } from "./acp-transcript.ts";
import { largerUsage, type AgentUsage } from "./agent-event.ts";
import type { AgentReport, AgentRunOptions } from "./agent-executor.ts";
import { toOutcome, type AgentExit, type AgentOutcome } from "./agent-outcome.ts";
import { startAgent, type AgentProcess, type AgentProcessEnd } from "./agent-process.ts";
import { readResultFile, runAgent, toProcess, type AgentToRun, type AgentWork } from "./agent-run.ts";
import { AgentWatch } from "./agent-watch.ts";
import { ErrorOutput } from "./error-output.ts";
import type { PermissionPolicy } from "./permission-policy.ts";
import { isRateLimit, retryAfter } from "./rate-limit.ts";
import type { Transcript } from "./transcript.ts";

/** How long an agent that has closed the connection may take to exit. */
const EXIT_MS = 1000;

export interface AcpRules {
  readonly permissions: PermissionPolicy;
  /** How long an agent may take to cancel its turn (AR1). */
  readonly cancelGraceMs: number;
}

export function runAcpAgent(agent: AgentToRun, options: AgentRunOptions, rules: AcpRules): Promise<AgentReport> {
  return runAgent(agent, options, (transcript) => new AcpRun(agent, options, { ...rules, transcript }));
}

class AcpRun implements AgentWork {
  readonly #agent: AgentToRun;
  readonly #options: AgentRunOptions;
  readonly #parts: AcpRules & { readonly transcript: Transcript };
  #usage: AgentUsage = {};

  constructor(agent: AgentToRun, options: AgentRunOptions, parts: AcpRules & { readonly transcript: Transcript }) {
    this.#agent = agent;
    this.#options = options;
    this.#parts = parts;
  }

  get usage(): AgentUsage {
    return this.#usage;
  }

  async execute(prompt: string): Promise<AgentOutcome> {
    const started = startAgent(this.#options.processes, toProcess(this.#agent, this.#options.timeoutMs));
    if (started.kind === "not-started") return { kind: "spawn-error", reason: started.reason };
    return await this.#follow(started.process, prompt);
  }

  async #follow(agent: AgentProcess, prompt: string): Promise<AgentOutcome> {
    const texts = new AcpTranscript(this.#parts.transcript, this.#options.onLine);
    using cancellation = new TurnCancellation(agent, this.#parts.cancelGraceMs);
    using watch = new AgentWatch(this.#options, () => cancellation.begin());
    const errors = new ErrorOutput(this.#parts.transcript, watch, this.#options);
    agent.readStderr(errors);
    try {
      const connection = await this.#connect(agent, { prompt, watch, texts });
      cancellation.connection = connection;
      const [turn, end] = await runTurn(agent, connection);
      watch.close();
      await agent.end();
      const outcome = await this.#toOutcome(turn, end, watch);
      return turn.kind === "lost" && watch.intervention === undefined ? errors.explain(outcome) : outcome;
    } finally {
      await agent.end();
      await texts.end();
    }
  }

  #connect(agent: AgentProcess, { prompt, watch, texts }: AcpRunParts): Promise<AcpConnection> {
    const streams = { input: inputOf(agent, () => watch.hear()), output: outputOf(agent) };
    const onUpdate = (update: AcpUpdate): void => this.#onUpdate(update, watch, texts);
    const cwd = this.#agent.request.workspacePath;
    return AcpConnection.open(streams, { cwd, prompt, onUpdate, permissions: this.#parts.permissions });
  }

  #onUpdate(update: AcpUpdate, watch: AgentWatch, texts: AcpTranscript): void {
    switch (update.kind) {
      case "text":
        return texts.addText(update.text);
      case "tool":
        return texts.addLine(`[tool] ${update.title}`);
      case "usage":
        this.#usage = { ...this.#usage, ...update.usage };
        return watch.checkCost(this.#usage);
      case "other":
    }
  }

  async #toOutcome(turn: AcpTurnEnd, end: AgentProcessEnd, watch: AgentWatch): Promise<AgentOutcome> {
    if (end.kind === "not-started") return { kind: "spawn-error", reason: end.reason };
    const resultFile = await readResultFile(this.#agent.files, this.#options);
    const turnUsage = turn.kind === "stopped" ? turn.usage : {};
    this.#usage = largerUsage(largerUsage(this.#usage, turnUsage), resultFile?.usage ?? {});
    watch.checkCost(this.#usage);
    const { exit } = end;
    const { intervention } = watch;
    return intervention === undefined && resultFile === undefined
      ? outcomeOfTurn(turn, exit)
      : toOutcome({ intervention, resultFile, exit });
  }
}

interface AcpRunParts {
  readonly prompt: string;
  readonly watch: AgentWatch;
  readonly texts: AcpTranscript;
}

/** Runs the turn until it ends or the agent exits, and gives the agent a moment to exit if it has closed the connection. */
async function runTurn(
  agent: AgentProcess,
  connection: AcpConnection,
): Promise<readonly [turn: AcpTurnEnd, end: AgentProcessEnd]> {
  // When the agent has exited, the rest of its tree must not keep its output open.
  const exited = agent.mainExit().then(() => agent.end());
  // An error is thrown by the next call of `end`.
  exited.catch(() => {});
  const turn = await connection.run();
  connection.close();
  if (turn.kind === "lost") await Promise.race([agent.mainExit(), sleep(EXIT_MS, undefined, { ref: false })]);
  agent.stop();
  return [turn, await agent.mainExit()];
}

/** AR1. */
class TurnCancellation implements Disposable {
  readonly #agent: AgentProcess;
  readonly #graceMs: number;
  #timer: NodeJS.Timeout | undefined;
  connection: AcpConnection | undefined;

  constructor(agent: AgentProcess, graceMs: number) {
    this.#agent = agent;
    this.#graceMs = graceMs;
  }

  begin(): void {
    if (this.connection?.cancel() === true) this.#timer ??= setTimeout(() => this.#agent.stop(), this.#graceMs);
    else this.#agent.stop();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

function inputOf(agent: AgentProcess, onChunk: () => void): ReadableStream<Uint8Array> {
  let isClosed = false;
  return new ReadableStream<Uint8Array>({
    start: (controller) =>
      agent.readStdout({
        write: async (chunk) => {
          onChunk();
          if (!isClosed) controller.enqueue(chunk);
        },
        end: async () => {
          if (!isClosed) controller.close();
        },
      }),
    cancel: () => {
      isClosed = true;
    },
  });
}

function outputOf({ stdin }: AgentProcess): WritableStream<Uint8Array> {
  return new WritableStream<Uint8Array>({
    // An agent that does not read any more has ended, or is ended by a limit.
    write: (chunk) => new Promise((resolve) => stdin.write(chunk, () => resolve())),
    close: () => void stdin.end(),
  });
}

function outcomeOfTurn(turn: AcpTurnEnd, exit: AgentExit): AgentOutcome {
  switch (turn.kind) {
    case "stopped":
      return STOPS[turn.stopReason];
    case "refused":
      return refusedOutcome(turn);
    case "lost":
      // AR2.
      return exit.code === null || exit.code === 0
        ? { kind: "failed", reason: `the agent ended before its turn: ${turn.reason}`, isLasting: false }
        : toOutcome({ exit });
  }
}

/** The protocol has no error for the limit of a provider, so agents tell it in the text. */
function refusedOutcome({ reason, isLasting }: AcpTurnEnd & { readonly kind: "refused" }): AgentOutcome {
  if (isLasting || !isRateLimit(reason)) return { kind: "failed", reason, isLasting };
  return { kind: "rate-limited", ...retryAfter(reason) };
}

const STOPS: Readonly<Record<StopReason, AgentOutcome>> = {
  end_turn: { kind: "succeeded" },
  max_tokens: { kind: "failed", reason: "the agent has reached its limit of tokens", isLasting: false },
  max_turn_requests: { kind: "failed", reason: "the agent has reached its limit of requests", isLasting: false },
  // The same prompt would be refused again; a person has to look at it.
  refusal: { kind: "failed", reason: "the agent refuses the task", isLasting: true },
  cancelled: { kind: "failed", reason: "the agent has cancelled its turn by itself", isLasting: false },
};
