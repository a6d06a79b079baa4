// A server in another process, and a client of it over connections that stay open.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface HttpProcess extends AsyncDisposable {
  readonly url: string;
  readonly bareUrl: string;
  /** An execution that has ended. */
  readonly path: string;
  readonly token: string;
  /** Sends a command and reads its answer. */
  ask(command: object): Promise<unknown>;
}

export async function openHttpProcess(file: string): Promise<HttpProcess> {
  const program = join(import.meta.dirname, "http-server.ts");
  const child = spawn(process.execPath, [program, file], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string) as unknown;
  const about = (await next()) as Pick<HttpProcess, "url" | "bareUrl" | "path" | "token">;
  return {
    ...about,
    ask: async (command) => {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      return next();
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

export class HttpClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 100 });
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async call(url: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await this.open(url, body, headers);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    if (response.statusCode !== 200)
      throw new Error(`${url}: ${response.statusCode} ${Buffer.concat(chunks).toString()}`);
    return Buffer.concat(chunks).toString();
  }

  open(url: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const typed =
      body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const method = body === undefined ? "GET" : "POST";
    const all = { authorization: `Bearer ${this.#token}`, ...typed, ...headers };
    request(url, { agent: this.#agent, method, headers: all }, resolve).on("error", reject).end(body);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
