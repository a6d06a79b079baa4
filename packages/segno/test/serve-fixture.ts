// A folder with a journal, an engine that owns it, and a server in front of the engine, for tests of the client and of the command.

import { mkdir } from "node:fs/promises";

import { loadContract } from "@segno/contract";
import { Engine, type EngineOptions } from "@segno/engine";
import { serve, type RunningServer, type ServeOptions, type TokenScope } from "@segno/server";

import { CommandFixture } from "./command-fixture.ts";
import type { SegnoRun, SegnoRunOptions } from "./run-segno.ts";

export interface ServeFixtureOptions {
  /** YAML texts of the workflows that the server offers. */
  readonly contracts?: readonly string[];
  readonly serve?: ServeOptions;
  readonly engine?: EngineOptions;
  /** Runs before the engine opens, for example commands that fill the journal. */
  readonly before?: (shop: CommandFixture) => Promise<void>;
}

export class ServeFixture implements AsyncDisposable {
  readonly shop: CommandFixture;
  readonly engine: Engine;
  readonly token: string;
  readonly #options: ServeOptions;
  server: RunningServer;

  private constructor(shop: CommandFixture, engine: Engine, { server, token, options }: StartedServer) {
    this.shop = shop;
    this.engine = engine;
    this.server = server;
    this.token = token;
    this.#options = options;
  }

  static async open(options: ServeFixtureOptions = {}): Promise<ServeFixture> {
    const shop = await CommandFixture.open();
    await mkdir(shop.path("elsewhere"));
    await options.before?.(shop);
    const engine = await Engine.open({ file: shop.path(".segno/segno.db"), ...options.engine });
    const workflows = (options.contracts ?? []).map((text) => loadContract(text));
    const given = { port: 0, workflows, ...options.serve };
    const server = await serve(engine, given);
    const { token } = await server.tokens.create({ name: "root", scopes: ["admin"] });
    return new ServeFixture(shop, engine, { server, token, options: given });
  }

  async newToken(name: string, ...scopes: readonly TokenScope[]): Promise<string> {
    return (await this.server.tokens.create({ name, scopes })).token;
  }

  /** Closes the server, and starts it again on the same port with the same engine and tokens. */
  async restart(): Promise<void> {
    const port = Number(new URL(this.server.url).port);
    await this.server.close();
    this.server = await serve(this.engine, { ...this.#options, port });
  }

  /** Runs the command on the journal itself. */
  local(words: readonly string[], options: SegnoRunOptions = {}): Promise<SegnoRun> {
    return this.shop.run(words, options);
  }

  /** Runs the command against the server, in a folder without a journal. */
  remote(words: readonly string[], { environment = {}, ...options }: SegnoRunOptions = {}): Promise<SegnoRun> {
    const place = { SEGNO_URL: this.server.url, SEGNO_TOKEN: this.token };
    const folder = this.shop.path("elsewhere");
    return this.shop.run(words, { folder, ...options, environment: { ...place, ...environment } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.engine.close();
    await this.shop[Symbol.asyncDispose]();
  }
}

interface StartedServer {
  readonly server: RunningServer;
  readonly token: string;
  readonly options: ServeOptions;
}
