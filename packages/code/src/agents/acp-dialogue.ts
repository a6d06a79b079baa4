// The dialogue with an agent by the Agent Client Protocol.
//
//   AR1. An agent that has to end is asked to cancel its turn first. If it does not within the grace period, its process
//        is stopped.
//   AR2. An agent that exits before its turn has ended has failed, whatever its exit code.
//   AR3. The transcript has the texts of the agent and the titles of its tool calls, not the messages of the protocol.

import { setTimeout as sleep } from "node:timers/promises";
import { AcpConnection, type AcpTurnEnd, type StopReason } from "./acp-connection.ts";
import { AcpMessages } from "./acp-messages.ts";
import { AcpTranscript } from "./acp-transcript.ts";
import type { AcpUpdate } from "./acp-update.ts";
import { largerUsage, type AgentUsage } from "./agent-event.ts";
import type { AgentRunOptions } from "./agent-executor.ts";
import type { AgentExit, AgentOutcome } from "./agent-outcome.ts";
import type { AgentProcess, AgentProcessEnd } from "./agent-process.ts";
import type { AgentAnswer, AgentDialogue } from "./agent-run.ts";
import type { AgentWatch } from "./agent-watch.ts";
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

export interface AcpDialogueOptions extends AcpRules {
  readonly cwd: string;
  readonly onLine: AgentRunOptions["onLine"];
}

export class AcpDialogue implements AgentDialogue {
  readonly #agent: AgentProcess;
  readonly #options: AcpDialogueOptions;
  readonly #texts: AcpTranscript;
  #usage: AgentUsage = {};
  #connection: AcpConnection | undefined;
  #turn: AcpTurnEnd | undefined;
  #cancellation: NodeJS.Timeout | undefined;

  constructor(agent: AgentProcess, transcript: Transcript, options: AcpDialogueOptions) {
    this.#agent = agent;
    this.#options = options;
    this.#texts = new AcpTranscript(transcript, options.onLine);
  }

  get usage(): AgentUsage {
    return this.#usage;
  }

  async talk(prompt: string, watch: AgentWatch): Promise<AgentProcessEnd> {
    const { cwd, permissions } = this.#options;
    const messages = new AcpMessages(this.#agent.stdin, (update) => this.#onUpdate(update, watch));
    this.#connection = await AcpConnection.open(messages, { cwd, prompt, permissions });
    this.#readStdout(messages, watch);
    return await this.#runTurn(this.#connection);
  }

  /** AR1. */
  cancel(): void {
    const { cancelGraceMs } = this.#options;
    if (this.#connection?.cancel() !== true) return this.#agent.stop();
    this.#cancellation ??= setTimeout(() => this.#agent.stop(), cancelGraceMs);
  }

  answer(exit: AgentExit): AgentAnswer {
    const turn = this.#turn!;
    return { outcome: outcomeOfTurn(turn, exit), isExplainedByErrors: turn.kind === "lost" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#cancellation);
    await this.#texts.end();
  }

  /** The next chunk is read when this one is handled and its texts are written (AM1). */
  #readStdout(messages: AcpMessages, watch: AgentWatch): void {
    this.#agent.readStdout({
      write: async (chunk) => {
        watch.hear();
        await messages.write(chunk);
        await this.#texts.written();
      },
      end: () => messages.end(),
    });
  }

  #onUpdate(update: AcpUpdate, watch: AgentWatch): void {
    switch (update.kind) {
      case "text":
        return this.#texts.addText(update.text);
      case "tool":
        return this.#texts.addLine(`[tool] ${update.title}`);
      case "usage":
        this.#usage = { ...this.#usage, ...update.usage };
        return watch.checkCost(this.#usage);
      case "other":
    }
  }

  /** Runs the turn until it ends or the agent exits, and gives the agent a moment to exit if it has closed the connection. */
  async #runTurn(connection: AcpConnection): Promise<AgentProcessEnd> {
    const agent = this.#agent;
    // When the agent has exited, the rest of its tree must not keep its output open.
    const exited = agent.mainExit().then(() => agent.end());
    // An error is thrown by the next call of `end`.
    exited.catch(() => {});
    const turn = await connection.run();
    this.#turn = turn;
    if (turn.kind === "stopped") this.#usage = largerUsage(this.#usage, turn.usage);
    connection.close();
    if (turn.kind === "lost") await Promise.race([agent.mainExit(), sleep(EXIT_MS, undefined, { ref: false })]);
    agent.stop();
    return await agent.mainExit();
  }
}

/** Undefined if only the exit code tells how it ended. */
function outcomeOfTurn(turn: AcpTurnEnd, exit: AgentExit): AgentOutcome | undefined {
  switch (turn.kind) {
    case "stopped":
      return STOPS.get(turn.stopReason) ?? unknownStop(turn.stopReason);
    case "refused":
      return refusedOutcome(turn);
    case "violated":
      return { kind: "failed", reason: turn.reason, isLasting: true };
    case "lost":
      // AR2.
      return exit.code === null || exit.code === 0
        ? { kind: "failed", reason: `the agent ended before its turn: ${turn.reason}`, isLasting: false }
        : undefined;
  }
}

/** The protocol has no error for the limit of a provider, so agents tell it in the text. */
function refusedOutcome({ reason, isLasting }: AcpTurnEnd & { readonly kind: "refused" }): AgentOutcome {
  if (isLasting || !isRateLimit(reason)) return { kind: "failed", reason, isLasting };
  return { kind: "rate-limited", ...retryAfter(reason) };
}

function unknownStop(stopReason: unknown): AgentOutcome {
  const shown = typeof stopReason === "string" ? JSON.stringify(stopReason) : typeof stopReason;
  return { kind: "failed", reason: `the agent ended its turn for an unknown reason: ${shown}`, isLasting: false };
}

const OUTCOMES: Readonly<Record<StopReason, AgentOutcome>> = {
  end_turn: { kind: "succeeded" },
  max_tokens: { kind: "failed", reason: "the agent has reached its limit of tokens", isLasting: false },
  max_turn_requests: { kind: "failed", reason: "the agent has reached its limit of requests", isLasting: false },
  // The same prompt would be refused again; a person has to look at it.
  refusal: { kind: "failed", reason: "the agent refuses the task", isLasting: true },
  cancelled: { kind: "failed", reason: "the agent has cancelled its turn by itself", isLasting: false },
};

/** The reasons are a map, because an object also has keys such as `__proto__`. */
const STOPS: ReadonlyMap<unknown, AgentOutcome> = new Map(Object.entries(OUTCOMES));
