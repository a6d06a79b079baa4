// The code that runs on a worker thread: it calls one agent at a time. On the main thread, `thread.ts` starts this file
// and imports only types from it.
//
// Agents share the thread with this file, so this file uses a private message port. The port arrives with the first
// message, before any user module is loaded; whatever agents do to `parentPort` has no effect.
//
//   TW1. Each attempt is answered once: with what its agent returned or threw, or with an uncaught error.
//   TW2. Text written to stdout and stderr is sent before the answer, so it belongs to the right attempt.
//   TW3. After an uncaught error the thread is broken: it runs nothing more and waits to be terminated.

import { parentPort, type MessagePort } from "node:worker_threads";
import type { Agent } from "../../agents/agent.ts";
import { moduleAgent } from "../module-agent.ts";
import { ThreadContext } from "./thread-context.ts";
import { PortCallLink } from "./call-link.ts";
import { toAgentResult } from "./agent-result.ts";
import type { AgentResult, ThreadModule, MessageToThread, ThreadWork } from "./thread-message.ts";
import { captureStdio } from "./stdio-capture.ts";
import { ThreadPort } from "./thread-port.ts";
import { serializeThrown } from "./thrown.ts";

/** The first message; all others use the port. */
export interface WorkerInit {
  readonly port: MessagePort;
  readonly shared: Int32Array<SharedArrayBuffer>;
}

class WorkerExecutor {
  readonly #port: ThreadPort;
  readonly #calls: PortCallLink;
  readonly #agents = new Map<string, Agent>();
  #context: ThreadContext | undefined;
  #isBroken = false;

  constructor({ port, shared }: WorkerInit) {
    this.#port = new ThreadPort(port, shared, (message) => this.#receive(message));
    this.#calls = new PortCallLink((message) => this.#port.write(message));
    captureStdio((stream, bytes) => this.#port.sendChunks(stream, bytes));
    process.on("uncaughtException", (error) => this.#onBroken(error));
    process.on("unhandledRejection", (error) => this.#onBroken(error));
  }

  #receive(message: MessageToThread): void {
    if (message.kind === "abort") this.#context?.abort(message.reason);
    else if (message.kind === "call-reply") this.#calls.onReply(message.id, message.reply);
    else if (!this.#isBroken) void this.#run(message.work);
  }

  async #run(work: ThreadWork): Promise<void> {
    const context = (this.#context = new ThreadContext(work, this.#port, this.#calls));
    try {
      this.#complete(toAgentResult(await this.#agent(work.module).execute(work.dependencyOutputs, context)));
    } catch (error) {
      this.#complete({ kind: "threw", error: serializeThrown(error) });
    }
  }

  #agent({ path, exportName }: ThreadModule): Agent {
    const key = `${exportName} ${path}`;
    const agent = this.#agents.get(key) ?? moduleAgent(path, exportName);
    this.#agents.set(key, agent);
    return agent;
  }

  #onBroken(error: unknown): void {
    this.#isBroken = true;
    const thrown = serializeThrown(error);
    if (this.#context === undefined) this.#port.send({ kind: "broken", error: thrown });
    else this.#complete({ kind: "threw", error: thrown });
  }

  /** TW1. */
  #complete(result: AgentResult): void {
    if (this.#context === undefined) return;
    this.#context.mute();
    this.#context = undefined;
    const isBroken = this.#isBroken;
    try {
      this.#port.send({ kind: "completed", result, isBroken });
    } catch (error) {
      // An agent that replaced a built-in function can make a result that cannot be cloned.
      this.#port.send({ kind: "completed", result: { kind: "threw", error: serializeThrown(error) }, isBroken });
    }
  }
}

parentPort?.once("message", (init: WorkerInit) => new WorkerExecutor(init));
