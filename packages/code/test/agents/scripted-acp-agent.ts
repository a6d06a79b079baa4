// An agent that speaks the Agent Client Protocol, made with the official SDK. It runs in the process of a test, or as a
// command whose first argument is its behaviour.

import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

export interface AcpScript {
  readonly behaviour: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A prompt as an agent handles it. */
class Turn {
  readonly #sessionId: string;
  readonly #client: acp.AgentContext;
  readonly cwd: string;
  readonly signal: AbortSignal;

  constructor(session: AcpTestSession, sessionId: string, client: acp.AgentContext) {
    this.#sessionId = sessionId;
    this.#client = client;
    this.cwd = session.cwd;
    this.signal = session.cancelled.signal;
  }

  async update(update: acp.SessionUpdate): Promise<void> {
    await this.#client.notify(acp.methods.client.session.update, { sessionId: this.#sessionId, update });
  }

  async say(text: string): Promise<void> {
    await this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  /** The option that the client has chosen; undefined if it has cancelled the request. */
  async ask(kinds: readonly acp.PermissionOptionKind[]): Promise<string | undefined> {
    const request: acp.RequestPermissionRequest = {
      sessionId: this.#sessionId,
      toolCall: { toolCallId: "c1", title: "Write a file", kind: "edit" },
      options: kinds.map((kind) => ({ kind, name: kind, optionId: kind })),
    };
    const { outcome } = await this.#client.request(acp.methods.client.session.requestPermission, request);
    return outcome.outcome === "selected" ? outcome.optionId : undefined;
  }

  async cancelled(): Promise<acp.StopReason> {
    if (!this.signal.aborted) await new Promise((resolve) => this.signal.addEventListener("abort", resolve));
    return "cancelled";
  }
}

type AcpBehaviour = (turn: Turn, prompt: string) => Promise<acp.StopReason>;

const never = (): Promise<never> => new Promise(() => setInterval(() => {}, 1_000_000));

const BEHAVIOURS: Readonly<Record<string, AcpBehaviour>> = {
  edit: async (turn, prompt) => {
    await turn.update({ sessionUpdate: "tool_call", toolCallId: "c1", title: "Write done.txt" });
    writeFileSync(join(turn.cwd, "done.txt"), `${/^# (.*)$/mu.exec(prompt)![1]}\n`);
    await turn.say("work");
    await turn.say("ing");
    return "end_turn";
  },
  hang: async (turn) => {
    await turn.say("started\n");
    return turn.cancelled();
  },
  deaf: async (turn) => {
    await turn.say("started\n");
    return never();
  },
  late: async (turn) => {
    await turn.say("started\n");
    await turn.cancelled();
    await turn.say(`asked: ${await turn.ask(["allow_once"])}`);
    return "cancelled";
  },
  spend: async (turn) => {
    await turn.update({ sessionUpdate: "usage_update", used: 1, size: 10, cost: { amount: 2, currency: "USD" } });
    await turn.update({ sessionUpdate: "usage_update", used: 2, size: 10, cost: { amount: 3.5, currency: "USD" } });
    return "end_turn";
  },
  "spend hang": async (turn) => {
    await turn.update({ sessionUpdate: "usage_update", used: 2, size: 10, cost: { amount: 3.5, currency: "USD" } });
    return turn.cancelled();
  },
  secret: async (turn) => {
    await turn.say("the key is hun");
    await turn.say("ter22");
    return "end_turn";
  },
  ask: async (turn) => {
    await turn.say(String(await turn.ask(["reject_once", "allow_always", "allow_once"])));
    return "end_turn";
  },
  "ask badly": async (turn) => {
    await turn.say(String(await turn.ask(["allow_always"])));
    return "end_turn";
  },
  error: () => Promise.reject(new acp.RequestError(-32_603, "the model is on fire")),
  limit: () =>
    Promise.reject(
      acp.RequestError.internalError({ details: "429 Too Many Requests: rate limit reached, try again in 20s" }),
    ),
  login: () => Promise.reject(acp.RequestError.authRequired()),
  garbage: async (turn) => {
    writeFileSync(join(turn.cwd, "pid"), String(process.pid));
    for (;;) if (!process.stdout.write("not json\n".repeat(1000))) await once(process.stdout, "drain");
  },
  exit: () => process.exit(0),
  "exit 78": () => process.exit(78),
};

interface AcpTestSession {
  readonly cwd: string;
  readonly cancelled: AbortController;
}

export function serveAcpAgent({ behaviour, env }: AcpScript, stream: acp.Stream): void {
  const sessions = new Map<string, AcpTestSession>();
  const { initialize, session } = acp.methods.agent;
  acp
    .agent({ name: "scripted" })
    .onRequest(initialize, ({ params }) => {
      const isOffered = params.clientCapabilities?.fs?.readTextFile || params.clientCapabilities?.terminal;
      if (isOffered) throw new Error("files and terminals are offered");
      return { protocolVersion: behaviour === "version 2" ? 2 : params.protocolVersion };
    })
    .onRequest(session.new, ({ params }) => {
      const sessionId = `session-${sessions.size}`;
      sessions.set(sessionId, { cwd: params.cwd, cancelled: new AbortController() });
      return { sessionId };
    })
    .onRequest(session.prompt, async ({ params, client }) => {
      const turn = new Turn(sessions.get(params.sessionId)!, params.sessionId, client);
      const prompt = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
      return await respond(turn, prompt, { behaviour, env });
    })
    .onNotification(session.cancel, ({ params }) => sessions.get(params.sessionId)?.cancelled.abort())
    .connect(stream);
}

async function respond(turn: Turn, prompt: string, { behaviour, env }: AcpScript): Promise<acp.PromptResponse> {
  if (behaviour.startsWith("stop ")) return { stopReason: behaviour.slice(5) as acp.StopReason };
  if (behaviour === "result file") writeFileSync(env["SEGNO_RESULT_FILE"]!, '{"status":"no_changes"}');
  const stopReason = await (BEHAVIOURS[behaviour] ?? BEHAVIOURS["edit"]!)(turn, prompt);
  const usage = behaviour.startsWith("spend") ? { inputTokens: 10, outputTokens: 5, totalTokens: 15 } : undefined;
  return { stopReason, ...(usage === undefined ? {} : { usage }) };
}

if (process.argv[1] === import.meta.filename && existsSync(process.argv[1]))
  serveAcpAgent(
    { behaviour: process.argv[2]!, env: process.env },
    acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  );
