// A real server on a real socket, with an engine in memory or on a file.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { approval, Engine, waitForSignal, workflow, type EngineOptions } from "@segno/engine";
import { expect } from "vitest";
import { allRoutes } from "../src/app/all-routes.ts";
import { openApiDocument } from "../src/openapi/openapi.ts";
import { serve, type RunningServer, type TokenScope, type ServeOptions } from "../src/index.ts";
import { ApiDocument } from "./api-document.ts";

const HELLO = workflow<{ name: string }>("hello")
  .step("say", ({ input }) => `Hello ${input.name}`)
  .output(({ outputs }) => outputs.say);

const ASKS = workflow("asks")
  .step("ask", approval({ message: "Ship it?" }))
  .step("go", { dependsOn: ["ask"] }, waitForSignal("go", { schema: { type: "object" } }))
  .output(({ outputs }) => outputs.go);

const DOCUMENT = new ApiDocument(openApiDocument(allRoutes([])));

export interface CallOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | undefined;
}

export interface CallResult {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

export class ServerFixture implements AsyncDisposable {
  readonly engine: Engine;
  readonly server: RunningServer;
  readonly token: string;

  readonly folder: string;
  readonly #document: ApiDocument;

  private constructor(folder: string, engine: Engine, server: RunningServer, token: string, document: ApiDocument) {
    this.#document = document;
    this.folder = folder;
    this.engine = engine;
    this.server = server;
    this.token = token;
  }

  static async open(options: ServeOptions = {}, engineOptions: EngineOptions = {}): Promise<ServerFixture> {
    const folder = await mkdtemp(join(tmpdir(), "segno-server-"));
    const engine = await Engine.open({ file: join(folder, "segno.db"), ...engineOptions });
    const server = await serve(engine, {
      port: 0,
      workflows: [HELLO, ASKS],
      ...options,
    });
    const { token } = await server.tokens.create({ name: "root", scopes: ["admin"] });
    const { routes } = options;
    const document = routes === undefined ? DOCUMENT : new ApiDocument(openApiDocument(allRoutes(routes)));
    return new ServerFixture(folder, engine, server, token, document);
  }

  async newToken(name: string, ...scopes: readonly TokenScope[]): Promise<string> {
    return (await this.server.tokens.create({ name, scopes })).token;
  }

  async call(path: string, options: CallOptions = {}): Promise<CallResult> {
    const { method = "GET", body, headers = {}, token = this.token } = options;
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status } = response;
    const contentType = response.headers.get("content-type");
    const faults = this.#document.faults({ method, path, status, contentType, text });
    expect(faults, `HTTP-6 ${method} ${path} ${status} ${text.slice(0, 300)}`).toEqual([]);
    const isJson = response.headers.get("content-type")?.includes("json") === true && !text.includes("}\n{");
    const json = isJson && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status, headers: response.headers, text, json };
  }

  post(path: string, body: unknown = {}, options: CallOptions = {}): Promise<CallResult> {
    return this.call(path, { method: "POST", body, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.engine.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
