// The code that runs on an agent thread: one function at a time. The calling side is `thread.ts`, which starts this
// file and imports only types from it.
//
// Functions share the thread with this file, so this file uses a private port. The port arrives with the first message,
// before any user module is loaded; whatever functions do to `parentPort` has no effect.
//
//   TW1. Each attempt is answered once: with what its function returned or threw, or with an uncaught error.
//   TW2. Text written to stdout and stderr is sent before the answer, so it belongs to the right attempt.
//   TW3. After an uncaught error the thread is broken: it starts nothing more and waits to be terminated.

import { parentPort, type MessagePort } from "node:worker_threads";
import type { Agent } from "../../agents/agent.ts";
import { moduleAgent } from "../module-agent.ts";
import { ThreadContext } from "./thread-context.ts";
import { toFunctionResult } from "./function-result.ts";
import type { FunctionResult, ThreadModule, ThreadRequest, ThreadWork } from "./thread-message.ts";
import { captureStreams } from "./thread-streams.ts";
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
    captureStreams((stream, bytes) => this.#port.sendChunks(stream, bytes));
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
      this.#complete(await toFunctionResult(await this.#agent(work.module).execute(work.dependencyOutputs, context)));
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
  #complete(result: FunctionResult): void {
    if (this.#context === undefined) return;
    this.#context.mute();
    this.#context = undefined;
    this.#port.send({ kind: "completed", result, isBroken: this.#isBroken });
  }
}

parentPort?.once("message", (init: WorkerInit) => new WorkerExecutor(init));
