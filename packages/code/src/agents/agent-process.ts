// The process of an agent, from its start until nothing of it runs any more.
//
//   PC1. When the main process has exited, the rest of its tree is stopped, also after success.
//   PC2. A process that has left the tree may hold a pipe open. Pipes that are silent after the exit are closed.
//   PC3. An error while the output is handled, such as a full disk, stops the agent and is thrown.

import type { Readable } from "node:stream";
import type { OwnedProcess, ProcessCommand } from "@segno/engine";
import { thrownMessage } from "@segno/kernel/thrown-text";
import type { AgentExit } from "./agent-outcome.ts";
import type { ProcessStarter } from "./process-starter.ts";

/** How long a pipe may be silent after the exit until it is closed (PC2). */
const PIPE_SILENT_MS = 1000;

export interface ChunkReader {
  readonly write: (chunk: Uint8Array) => Promise<void>;
  readonly end: () => Promise<void>;
}

export type AgentProcessEnd =
  | { readonly kind: "exited"; readonly exit: AgentExit }
  | { readonly kind: "not-started"; readonly reason: string };

export type AgentStart =
  | { readonly kind: "started"; readonly process: AgentProcess }
  | { readonly kind: "not-started"; readonly reason: string };

export function startAgent(starter: ProcessStarter, command: ProcessCommand): AgentStart {
  try {
    return { kind: "started", process: new AgentProcess(starter.start(command)) };
  } catch (error) {
    return { kind: "not-started", reason: thrownMessage(error) };
  }
}

export class AgentProcess {
  readonly #process: OwnedProcess;
  readonly #reading: Promise<void>[] = [];
  #silence: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(started: OwnedProcess) {
    this.#process = started;
    // The agent may exit before it has read its input.
    started.stdin.on("error", () => {});
  }

  get stdin(): OwnedProcess["stdin"] {
    return this.#process.stdin;
  }

  stop(): void {
    this.#process.stop();
  }

  readStdout(reader: ChunkReader): void {
    this.#read(this.#process.stdout, reader);
  }

  readStderr(reader: ChunkReader): void {
    this.#read(this.#process.stderr, reader);
  }

  /** Resolves when the main process has exited. */
  async mainExit(): Promise<AgentProcessEnd> {
    try {
      return { kind: "exited", exit: await this.#process.mainExit };
    } catch (error) {
      return { kind: "not-started", reason: thrownMessage(error) };
    }
  }

  /** Stops the agent. Resolves when nothing of it runs any more and its output is handled. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#process.stop();
    await this.#process.treeExited;
    const { stdin, stdout, stderr } = this.#process;
    stdin.destroy();
    this.#silence = setTimeout(() => [stdout, stderr].forEach((stream) => stream.destroy()), PIPE_SILENT_MS);
    try {
      await Promise.all(this.#reading);
    } finally {
      clearTimeout(this.#silence);
      for (const stream of [stdout, stderr]) stream.destroy();
    }
  }

  #read(stream: Readable, reader: ChunkReader): void {
    const reading = this.#readAll(stream, reader);
    // PC3: `end` throws it.
    reading.catch(() => this.#process.stop());
    this.#reading.push(reading);
  }

  async #readAll(stream: Readable, reader: ChunkReader): Promise<void> {
    try {
      for await (const chunk of stream) {
        this.#silence?.refresh();
        await reader.write(chunk as Uint8Array);
      }
    } catch (error) {
      if (!isBroken(stream, error)) throw error;
    }
    await reader.end();
  }
}

/** A pipe that breaks or that was closed is the end of the output. */
function isBroken(stream: Readable, error: unknown): boolean {
  return stream.errored === error || (error as NodeJS.ErrnoException).code === "ERR_STREAM_PREMATURE_CLOSE";
}
