// What runs on a thread of agents: one function at a time. The calling side is in `thread.ts`, which starts this file and
// imports nothing but types from it.
//
// Functions share the thread with this file, so it keeps its way to the other side to itself: a port that comes with the
// first message, before any module of the user's is loaded. What they do to `parentPort` disturbs nobody.
//
//   W1. Work is answered once: by what its function returns or throws, or by what nobody caught while it was under way.
//   W2. What was written to stdout and stderr by then is sent before the answer, so it is known whose it is.
//   W3. Something that nobody caught leaves the thread broken: it begins nothing more, and waits for its end.

import { parentPort, type MessagePort } from "node:worker_threads";
import type { Agent } from "../../agents/agent.ts";
import { moduleAgent } from "../module-agent.ts";
import { ThreadContext } from "./thread-context.ts";
import { toThreadEnd } from "./thread-end.ts";
import type { ThreadEnd, ThreadModule, ThreadRequest, ThreadWork } from "./thread-message.ts";
import { captureOutput } from "./thread-output.ts";
import { ThreadPort } from "./thread-port.ts";
import { thrownBy } from "./thrown.ts";

/** The first message, and the only one that does not come by the port. */
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
      this.#end({ kind: "threw", error: thrownBy(error) });
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
    const thrown = thrownBy(error);
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

parentPort?.once("message", (birth: WorkerInit) => new WorkerExecutor(birth));
