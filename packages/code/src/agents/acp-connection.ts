// A connection to an agent by the Agent Client Protocol, version 1. This is the only file that knows the SDK.
//
//   AX1. Files and terminals of the client are not offered: the agent uses its own tools, in its own process.
//   AX2. Another version of the protocol is refused. In version 2 the response to a prompt means that it was accepted,
//        so every task would seem to end at once.
//   AX3. After a cancellation, requests for permission are answered as cancelled, and updates are still accepted.

import type * as Acp from "@agentclientprotocol/sdk";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { AcpViolation, type AcpMessages } from "./acp-messages.ts";
import { isAmount, type AgentUsage } from "./agent-event.ts";
import { chooseOption, type PermissionPolicy } from "./permission-policy.ts";

const PROTOCOL_VERSION = 1;
/** The error code of an agent that needs a login first. */
const AUTHENTICATION_REQUIRED = -32_000;

export interface AcpTurn {
  /** An absolute path. */
  readonly cwd: string;
  readonly prompt: string;
  readonly permissions: PermissionPolicy;
}

export type StopReason = Acp.StopReason;

export type AcpTurnEnd =
  /** The SDK does not check the reason. */
  | { readonly kind: "stopped"; readonly stopReason: unknown; readonly usage: AgentUsage }
  | { readonly kind: "refused"; readonly reason: string; readonly isLasting: boolean }
  /** The connection ended before the turn. */
  | { readonly kind: "lost"; readonly reason: string }
  /** The connection was ended because the agent does not keep to the protocol. */
  | { readonly kind: "violated"; readonly reason: string };

export class AcpConnection {
  readonly #acp: typeof Acp;
  readonly #turn: AcpTurn;
  readonly #connection: Acp.ClientConnection;
  #sessionId: string | undefined;
  #isCancelled = false;

  private constructor(acp: typeof Acp, messages: AcpMessages, turn: AcpTurn) {
    this.#acp = acp;
    this.#turn = turn;
    const { session } = acp.methods.client;
    this.#connection = acp
      .client({ name: "segno" })
      .onRequest(session.requestPermission, ({ params }) => this.#answer(params))
      .connect(messages as object as Acp.Stream);
  }

  /** The SDK is loaded when it is needed first. */
  static async open(messages: AcpMessages, turn: AcpTurn): Promise<AcpConnection> {
    return new AcpConnection(await import("@agentclientprotocol/sdk"), messages, turn);
  }

  async run(): Promise<AcpTurnEnd> {
    try {
      return await this.#run();
    } catch (error) {
      if (error instanceof AcpViolation) return { kind: "violated", reason: error.message };
      if (!(error instanceof this.#acp.RequestError) || this.#connection.signal.aborted)
        return { kind: "lost", reason: thrownMessage(error) };
      return { kind: "refused", reason: refusal(error), isLasting: error.code === AUTHENTICATION_REQUIRED };
    }
  }

  /** Asks the agent to stop its turn; false if it has not begun. */
  cancel(): boolean {
    const isFirst = !this.#isCancelled;
    this.#isCancelled = true;
    if (this.#sessionId === undefined) return false;
    if (isFirst) this.#notifyCancel(this.#sessionId);
    return true;
  }

  close(): void {
    this.#connection.close();
  }

  async #run(): Promise<AcpTurnEnd> {
    const { initialize, session } = this.#acp.methods.agent;
    const { agent } = this.#connection;
    const { protocolVersion } = await agent.request(initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    if (protocolVersion !== PROTOCOL_VERSION)
      return { kind: "refused", reason: wrongVersion(protocolVersion), isLasting: true };
    const { sessionId } = await agent.request(session.new, { cwd: this.#turn.cwd, mcpServers: [] });
    this.#sessionId = sessionId;
    if (this.#isCancelled) return { kind: "stopped", stopReason: "cancelled", usage: {} };
    const prompt: Acp.ContentBlock[] = [{ type: "text", text: this.#turn.prompt }];
    const { stopReason, usage } = await agent.request(session.prompt, { sessionId, prompt });
    return { kind: "stopped", stopReason, usage: toTokens(usage) };
  }

  #notifyCancel(sessionId: string): void {
    // The connection may have ended meanwhile; then there is nothing to cancel.
    this.#connection.agent.notify(this.#acp.methods.agent.session.cancel, { sessionId }).catch(() => {});
  }

  #answer({ toolCall, options }: Acp.RequestPermissionRequest): Acp.RequestPermissionResponse {
    const request = {
      title: toolCall.title ?? toolCall.toolCallId,
      ...(typeof toolCall.kind === "string" ? { toolKind: toolCall.kind } : {}),
    };
    const optionId = this.#isCancelled ? undefined : chooseOption(this.#turn.permissions(request), options);
    return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
  }
}

function wrongVersion(version: number): string {
  return `the agent speaks version ${version} of the Agent Client Protocol, and Segno speaks version ${PROTOCOL_VERSION}`;
}

/** The SDK does not check the amounts. */
function toTokens(usage: Acp.Usage | null | undefined): AgentUsage {
  const { inputTokens, outputTokens } = usage ?? {};
  return { ...(isAmount(inputTokens) ? { inputTokens } : {}), ...(isAmount(outputTokens) ? { outputTokens } : {}) };
}

/** Agents put the error of their provider into the data of an internal error. */
function refusal(error: Acp.RequestError): string {
  const { data } = error;
  const details = typeof data === "object" && data !== null ? (data as { readonly details?: unknown }).details : data;
  const message = thrownMessage(error);
  return typeof details === "string" && !message.includes(details) ? `${message}: ${details}` : message;
}
