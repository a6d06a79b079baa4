// The code that runs on an agent thread: one function at a time. The calling side is `thread.ts`, which starts this
// file and imports only types from it.
//
// Functions share the thread with this file, so this file uses a private port. The port arrives with the first message,
// before any user module is loaded; whatever functions do to `parentPort` has no effect.
//
//   W1. Each attempt is answered once: with what its function returned or threw, or with an uncaught error.
//   W2. Output to stdout and stderr is sent before the answer, so it belongs to the right attempt.
//   W3. After an uncaught error the thread is broken: it starts nothing more and waits to be terminated.

import { parentPort, type MessagePort } from "node:worker_threads";
import type { Agent } from "../../agents/agent.ts";
import { moduleAgent } from "../module-agent.ts";
import { ThreadContext } from "./thread-context.ts";
import { toThreadEnd } from "./thread-end.ts";
import type { ThreadEnd, ThreadModule, ThreadRequest, ThreadWork } from "./thread-message.ts";
import { captureOutput } from "./thread-output.ts";
import { ThreadPort } from "./thread-port.ts";
import { serializeThrown } from "./thrown.ts";

/** The first message; all others use the port. */
export interface WorkerInit {
  readonly port: MessagePort;
  readonly shared: Int32Array<SharedArrayBuffer>;
}

class WorkerExecutor {
  readonly #port: ThreadPort;
  readonly #agents = new Map<string, Agent>();
  #context: ThreadContext | undefined;
  #isBroken = false;

  constructor({ port, shared }: WorkerInit) {
    this.#port = new ThreadPort(port, shared, (request) => this.#receive(request));
    captureOutput((stream, bytes) => this.#port.output(stream, bytes));
    process.on("uncaughtException", (error) => this.#onBroken(error));
    process.on("unhandledRejection", (error) => this.#onBroken(error));
  }

  #receive(request: ThreadRequest): void {
    if (request.kind === "abort") this.#context?.abort(request.reason);
    else if (!this.#isBroken) void this.#run(request.work);
  }

  async #run(work: ThreadWork): Promise<void> {
    const context = (this.#context = new ThreadContext(work, this.#port));
    try {
      this.#end(await toThreadEnd(await this.#agent(work.module).execute(work.outputs, context)));
    } catch (error) {
      this.#end({ kind: "threw", error: serializeThrown(error) });
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
    else this.#end({ kind: "threw", error: thrown });
  }

  /** W1. */
  #end(end: ThreadEnd): void {
    if (this.#context === undefined) return;
    this.#context.mute();
    this.#context = undefined;
    this.#port.send({ kind: "ended", end, isBroken: this.#isBroken });
  }
}

parentPort?.once("message", (init: WorkerInit) => new WorkerExecutor(init));
