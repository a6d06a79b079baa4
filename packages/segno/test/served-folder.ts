// A real `segno serve` in the folder of a test, on a free port.

import type { CommandFixture } from "./command-fixture.ts";
import type { RunningSegno, SegnoRun, SegnoRunOptions } from "./run-segno.ts";

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

export class ServedFolder implements AsyncDisposable {
  readonly url: string;
  readonly printed: string;
  /** The token that `logIn` has made. */
  token = "";
  readonly #shop: CommandFixture;
  readonly #process: RunningSegno;

  private constructor(shop: CommandFixture, process: RunningSegno, printed: string) {
    this.#shop = shop;
    this.#process = process;
    this.printed = printed;
    this.url = /^serving (\S+)$/mu.exec(printed)![1]!;
  }

  static async open(
    shop: CommandFixture,
    words: readonly string[],
    options: SegnoRunOptions = {},
  ): Promise<ServedFolder> {
    const process = shop.start(["serve", ...words, "--port", "0"], options);
    await process.prints(/login.*\n/u);
    return new ServedFolder(shop, process, process.stdout);
  }

  /** Makes a token with the command, as a person would. */
  async logIn(scopes: string): Promise<void> {
    const { stdout } = await this.#shop.run(["token", "create", "tester", "--scopes", scopes]);
    this.token = stdout.trim();
  }

  async call(
    path: string,
    method = "GET",
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, json: text === "" ? {} : (JSON.parse(text) as never) };
  }

  /** Starts an execution and waits for its end. */
  start(body: object): Promise<Answered> {
    return this.call("/v1/executions", "POST", body, { prefer: "wait=30" });
  }

  stop(signal: NodeJS.Signals): Promise<SegnoRun> {
    this.#process.send(signal);
    return this.#process.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#process.hasEnded) await this.stop("SIGTERM");
  }
}
