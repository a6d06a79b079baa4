// The language server of TypeScript: what an editor shows when the pointer rests on a name.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const TSC = createRequire(import.meta.url)
  .resolve("typescript/package.json")
  .replace(/package\.json$/u, "bin/tsc");

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

export class LanguageServer implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers = new Map<number, (result: unknown) => void>();
  #unread: Buffer = Buffer.alloc(0);
  #lastId = 0;

  private constructor() {
    this.#child = spawn(process.execPath, [TSC, "--lsp", "--stdio"], { cwd: ROOT });
    this.#child.stdout.on("data", (part: Buffer) => this.#read(part));
    this.#child.stderr.resume();
  }

  static async start(): Promise<LanguageServer> {
    const server = new LanguageServer();
    await server.#ask("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(ROOT).href,
      capabilities: { textDocument: { hover: { contentFormat: ["plaintext"] } } },
    });
    server.#send({ method: "initialized", params: {} });
    return server;
  }

  /** Opens a file and returns a function that gives the hover at a mark: the first occurrence of a text in the file. */
  open(file: string): (mark: string) => Promise<string> {
    const text = readFileSync(file, "utf8");
    const uri = pathToFileURL(file).href;
    this.#send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "typescript", version: 1, text } },
    });
    return async (mark) => {
      const before = text.slice(0, text.indexOf(mark)).split("\n");
      const position = { line: before.length - 1, character: before.at(-1)!.length };
      const hover = (await this.#ask("textDocument/hover", { textDocument: { uri }, position })) as {
        readonly contents: string | { readonly value: string };
      } | null;
      const contents = hover?.contents ?? "";
      return typeof contents === "string" ? contents : contents.value;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill();
    await exited;
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#answers.set(id, resolve);
    this.#send({ id, method, params });
    return promise;
  }

  #send(message: Message): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(part: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, part]);
    for (;;) {
      const end = this.#unread.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/iu.exec(this.#unread.toString("utf8", 0, end))![1]);
      const body = this.#unread.subarray(end + 4, end + 4 + length);
      if (body.length < length) return;
      this.#unread = this.#unread.subarray(end + 4 + length);
      this.#handle(JSON.parse(body.toString("utf8")) as Message);
    }
  }

  #handle({ id, method, result, params }: Message): void {
    if (method === undefined) return this.#answers.get(id as number)?.(result);
    if (id === undefined) return;
    // The server asks for its configuration, and registers capabilities.
    const answer = method === "workspace/configuration" ? (params as { items: unknown[] }).items.map(() => null) : null;
    this.#send({ id, result: answer });
  }
}
