// A peer of the Agent Client Protocol that writes any bytes. It begins its session as an agent does, and a test decides the
// rest. It is in the process of the test, behind the streams of a process.

import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { ProcessStarter } from "../../src/agents/process-starter.ts";

interface SentMessage {
  readonly id?: number;
  readonly method?: string;
}

export class RawAcpAgent implements ProcessStarter {
  readonly #onPrompt: (agent: RawAcpAgent, promptId: number) => Promise<void>;
  readonly stdin = new PassThrough();
  readonly #stdout = new PassThrough();
  readonly #stderr = new PassThrough();
  readonly #exit = Promise.withResolvers<{ code: number | null; signal: string | null }>();
  #isStopped = false;
  #lines = 0;
  /** The messages without a method that came from the engine. */
  answers = 0;

  constructor(onPrompt: (agent: RawAcpAgent, promptId: number) => Promise<void>) {
    this.#onPrompt = onPrompt;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The lines that the pipe to the engine has accepted. */
  get linesWritten(): number {
    return this.#lines;
  }

  readonly start: ProcessStarter["start"] = () => {
    this.#read();
    const { stdin } = this;
    const stop = (): void => {
      this.#isStopped = true;
      for (const stream of [this.#stdout, this.#stderr]) stream.end();
      this.#stdout.emit("drain");
      this.#exit.resolve({ code: null, signal: "SIGTERM" });
    };
    return {
      pid: undefined,
      stdin,
      stdout: this.#stdout,
      stderr: this.#stderr,
      mainExit: this.#exit.promise,
      treeExited: this.#exit.promise.then(() => {}),
      stop,
    };
  };

  /** Writes lines for ever, as fast as they are read, until the process is stopped or a test ends it. */
  async flood(line: string, linesMax = Infinity): Promise<void> {
    while (!this.#isStopped && this.#lines < linesMax) await this.write(line);
  }

  async write(line: string): Promise<void> {
    if (this.#isStopped) return;
    this.#lines++;
    if (!this.#stdout.write(`${line}\n`)) await once(this.#stdout, "drain");
  }

  async result(id: number, json: string): Promise<void> {
    await this.write(`{"jsonrpc":"2.0","id":${id},"result":${json}}`);
  }

  #read(): void {
    let text = "";
    this.stdin.on("data", (chunk: Buffer) => {
      const lines = `${text}${chunk.toString("utf8")}`.split("\n");
      text = lines.pop()!;
      for (const line of lines) void this.#onMessage(JSON.parse(line) as SentMessage);
    });
  }

  async #onMessage({ id, method }: SentMessage): Promise<void> {
    if (method === undefined) this.answers++;
    if (method === "initialize") await this.result(id!, '{"protocolVersion":1}');
    if (method === "session/new") await this.result(id!, '{"sessionId":"s"}');
    if (method === "session/prompt") await this.#onPrompt(this, id!);
  }
}
