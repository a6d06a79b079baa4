// The client against a real server: every operation of the OpenAPI document, and answers that the document describes (HTTP-6).

import { ApiError, SegnoClient } from "@segno/client";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ServeFixture } from "./serve-fixture.ts";

const MAKE = `
name: make
input: { type: object }
steps:
  - { id: make, cwd: "\${ input.folder }", run: "echo one; echo two; printf app > app.txt", artifacts: [app.txt] }
output: { big: "\${ input.big }" }
`;
const ASKS = `
name: asks
steps:
  - { id: ask, approve: { message: "Ship it?" } }
  - { id: go, wait: { signal: go }, dependsOn: [ask] }
output: \${ steps.go.output }
`;
const FAILS = `
name: fails
steps: [{ id: bad, run: "exit 3" }]
`;

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

/** The method of the client for each operation, or why it has none. */
const COVERED: Readonly<Record<string, keyof SegnoClient | { readonly not: string }>> = {
  postExecutions: "start",
  getExecutions: "listPage",
  getExecutionsId: "get",
  deleteExecutionsId: "remove",
  postExecutionsIdCancel: "cancel",
  postExecutionsIdPause: "pause",
  postExecutionsIdResume: "resume",
  postExecutionsIdRetry: "retry",
  postExecutionsIdSignalsName: "signal",
  postExecutionsIdVotes: "vote",
  getExecutionsIdWhy: "why",
  getExecutionsIdJournal: "journal",
  getExecutionsIdLogs: "logPage",
  getExecutionsIdOutput: "output",
  getExecutionsIdArtifacts: "artifacts",
  getExecutionsIdArtifact: "artifact",
  getExecutionsIdValues: "values",
  getExecutionsIdEvents: "events",
  getDefinitionsHash: "definition",
  getApprovals: "approvals",
  getWorkflows: "workflows",
  getWorkflowsName: "workflow",
  getEngine: "engine",
  getCaller: "caller",
  putWorkflowsName: { not: "not written yet: contracts of the API came with `segno serve`" },
  getWorkflowsNameVersions: { not: "not written yet: contracts of the API came with `segno serve`" },
  getEvents: { not: "no method yet: `events` follows one execution" },
  getTokens: { not: "`segno token` manages tokens" },
  postTokens: { not: "`segno token` manages tokens" },
  deleteTokensName: { not: "`segno token` manages tokens" },
  postHooksName: { not: "for programs that sign their requests instead of sending a token" },
  getLogin: { not: "for the page, in a browser" },
  postLogout: { not: "for the page, in a browser" },
  getHealthz: { not: "for the process that watches the server" },
  getReadyz: { not: "for the process that watches the server" },
  getOpenapiJson: { not: "for programs that make other clients" },
};

let fixture: ServeFixture;
let openApi: OpenApi;
beforeAll(async () => {
  fixture = await ServeFixture.open({ contracts: [MAKE, ASKS, FAILS] });
  openApi = (await (await fetch(`${fixture.server.url}/openapi.json`)).json()) as OpenApi;
});
afterAll(() => fixture[Symbol.asyncDispose]());

const clientFor = (given: Partial<ConstructorParameters<typeof SegnoClient>[0]> = {}): SegnoClient =>
  new SegnoClient({ url: fixture.server.url, token: fixture.token, ...given });

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A `fetch` that checks every JSON answer against the document, and remembers which operations it saw. */
class CheckingFetch {
  readonly seen = new Set<string>();
  readonly problems: string[] = [];
  readonly #checks = new Map<object, ValidateFunction>();
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { pathname } = new URL(String(input));
    const operation = this.#find(pathname, (init?.method ?? "GET").toLowerCase());
    this.seen.add(operation.operationId);
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const answer = operation.responses[response.status] ?? operation.responses["default"]!;
    const schema = answer.content?.[type]?.schema;
    if (type.endsWith("json") && type !== "application/x-ndjson") {
      if (schema === undefined) this.problems.push(`${operation.operationId} answers ${response.status} ${type}`);
      else this.#check(operation, schema, await response.clone().json());
    }
    return response;
  };

  #find(pathname: string, method: string): Operation {
    for (const [path, operations] of Object.entries(openApi.paths)) {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u");
      if (pattern.test(pathname) && operations[method] !== undefined) return operations[method];
    }
    throw new Error(`the document has no ${method} ${pathname}`);
  }

  #check({ operationId }: Operation, schema: object, body: unknown): void {
    let check = this.#checks.get(schema);
    if (check === undefined) {
      check = this.#ajv.compile({ ...schema, components: openApi.components });
      this.#checks.set(schema, check);
    }
    if (!check(body)) this.problems.push(`${operationId}: ${this.#ajv.errorsText(check.errors)}`);
  }
}

/** Uses every operation that controls an execution. */
async function controlAll(client: SegnoClient): Promise<void> {
  await client.start("asks", null, { id: "asking" });
  expect(await all(client.approvals())).toMatchObject([{ execution: "asking", step: "ask", message: "Ship it?" }]);
  expect(await client.why("asking", "ask")).toMatchObject([{ step: "ask", reason: { kind: "approval" } }]);
  expect(await client.pause("asking")).toEqual({ kind: "accepted" });
  expect(await client.resume("asking")).toEqual({ kind: "accepted" });
  expect(await client.vote("asking", { step: "ask", verdict: "approve" })).toEqual({ kind: "accepted" });
  expect(await client.signal("asking", "go", { n: 1 }, { id: "s1" })).toEqual({ kind: "accepted" });
  expect((await all(client.events("asking"))).at(-1)!.kind).toBe("execution.completed");
  expect(await client.cancel("asking")).toMatchObject({ kind: "ignored", reason: "ended" });
  await client.start("fails", null, { id: "failed", wait: 20 });
  expect(await client.retry("failed")).toEqual({ kind: "accepted" });
  await all(client.events("failed"));
  await client.remove("failed");
  await expect(client.get("failed")).rejects.toMatchObject({ code: "EXECUTION_UNKNOWN", status: 404 });
}

describe("HTTP-6 the client", () => {
  it("has a method for every operation of the document, or a reason why not", () => {
    const operations = Object.values(openApi.paths).flatMap((path) => Object.values(path));
    const known = operations.map(({ operationId }) => operationId).toSorted();
    expect(Object.keys(COVERED).toSorted()).toEqual(known);
    const methods = Object.values(COVERED).filter((each) => typeof each === "string");
    expect(methods.filter((name) => typeof SegnoClient.prototype[name] !== "function")).toEqual([]);
  });

  it("does everything, with answers that the document describes", async () => {
    const checking = new CheckingFetch();
    const client = clientFor({ fetch: checking.fetch });
    const big = "x".repeat(100_000);
    const folder = fixture.shop.path("elsewhere");
    const made = await client.start(
      "make",
      { big, folder },
      { id: "made", wait: 20, labels: { team: "web" }, priority: 2 },
    );
    expect(made).toMatchObject({
      isEnded: true,
      isReplayed: false,
      execution: { id: "made", status: "completed", output: { big }, labels: { team: "web" } },
    });
    expect(await client.get("made")).toEqual(made.execution);
    expect(
      (await all(client.list({ labels: { team: "web" }, status: ["completed"], limit: 1 }))).map(({ id }) => id),
    ).toEqual(["made"]);
    expect((await all(client.logs("made", { step: "make" }))).map(({ text }) => text)).toEqual(["one", "two"]);
    expect(await client.logPage("made", { from: 1 })).toMatchObject({ total: 2, from: 1, lines: [{ text: "two" }] });
    expect(await client.output("made")).toEqual({ big });
    const [artifact] = await client.artifacts("made", "make");
    expect(artifact).toMatchObject({ step: "make", path: "app.txt", bytes: 3 });
    expect(await new Response(await client.artifact("made", "make", "app.txt")).text()).toBe("app");
    const events = await all(client.events("made"));
    expect((await all(client.journal("made"))).map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq));
    const [created] = await all(client.journal("made"));
    const { definition, input } = created as { definition: string; input: { hash: string } } & typeof created;
    expect(await client.definition(definition)).toMatchObject({ name: "make" });
    expect(await client.values("made", [input.hash, `sha256:${"0".repeat(64)}`])).toEqual(
      new Map([[input.hash, { big, folder }]]),
    );
    expect((await client.workflows()).map(({ name }) => name)).toEqual(["asks", "fails", "make"]);
    expect(await client.workflow("make")).toMatchObject({ name: "make", definition });
    expect(await client.engine()).toMatchObject({ isOwner: true });
    expect(await client.caller()).toEqual({ name: "root", scopes: ["admin"] });
    await controlAll(client);

    expect(checking.problems).toEqual([]);
    const missing = Object.entries(COVERED).filter(([id, how]) => typeof how === "string" && !checking.seen.has(id));
    expect(missing).toEqual([]);
  });

  it("IDEM starts once with a key, and says that an answer is a replay", async () => {
    const client = clientFor();
    const first = await client.start("asks", null, { idempotencyKey: "k-1" });
    const again = await client.start("asks", null, { idempotencyKey: "k-1" });
    expect([first.isReplayed, again.isReplayed]).toEqual([false, true]);
    expect(again.execution.id).toBe(first.execution.id);
    await client.cancel(first.execution.id);
  });
});

describe("HTTP-6 the bundle of the client", () => {
  it("has nothing of Node in it, so it works in a browser", async () => {
    const { outputFiles } = await build({
      stdin: { contents: 'export * from "segno/client";', resolveDir: import.meta.dirname },
      bundle: true,
      format: "esm",
      minify: true,
      platform: "browser",
      write: false,
    });
    const { text } = outputFiles[0]!;
    expect(text).toContain("SegnoClient");
    expect(text.match(/\bBuffer\b|["']node:|\bprocess\./u)).toBeNull();
    // Of the kernel, only the base class of errors and the final statuses are in it.
    expect(text.length).toBeLessThan(20_000);
  });
});

describe("HTTP-6 a problem", () => {
  it("becomes an ApiError with code, status and faults", async () => {
    const error: unknown = await clientFor()
      .listPage({ limit: 0 })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: "REQUEST_INVALID", status: 400, problems: [{ pointer: "/query/limit" }] });
    await expect(clientFor({ token: "wrong" }).get("made")).rejects.toMatchObject({
      code: "TOKEN_MISSING",
      status: 401,
    });
  });

  it("that is none of Segno's is SERVER_ANSWER_INVALID, and no answer is SERVER_UNREACHABLE", async () => {
    const html: typeof fetch = async () => new Response("<html>", { status: 502 });
    await expect(clientFor({ fetch: html }).get("x")).rejects.toMatchObject({
      code: "SERVER_ANSWER_INVALID",
      status: 502,
    });
    const page: typeof fetch = async () => new Response("<html>");
    await expect(clientFor({ fetch: page }).get("x")).rejects.toMatchObject({ code: "SERVER_ANSWER_INVALID" });
    await expect(clientFor({ url: "http://127.0.0.1:1" }).get("x")).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
    });
  });

  it.each([429, 503])(
    "with %i is sent again a few times if the call may be repeated, and only then",
    async (status) => {
      let calls = 0;
      const busy =
        (answers: number): typeof fetch =>
        async (input, init) => {
          if (++calls > answers) return fetch(input, init);
          const body = JSON.stringify({ code: "SERVER_CLOSING", detail: "later", status });
          return new Response(body, { status, headers: { "retry-after": "0" } });
        };
      expect(await clientFor({ fetch: busy(2) }).caller()).toMatchObject({ name: "root" });
      expect(calls).toBe(3);
      calls = 0;
      await expect(clientFor({ fetch: busy(100), retries: 2 }).caller()).rejects.toMatchObject({
        status,
        retryAfter: 0,
      });
      expect(calls).toBe(3);
      calls = 0;
      await expect(clientFor({ fetch: busy(100) }).start("asks")).rejects.toMatchObject({ status });
      await expect(clientFor({ fetch: busy(100) }).pause("x")).rejects.toMatchObject({ status });
      expect(calls).toBe(2);
      calls = 0;
      const { execution } = await clientFor({ fetch: busy(1) }).start("asks", null, {
        idempotencyKey: `busy-${status}`,
      });
      expect(calls).toBe(2);
      await clientFor().cancel(execution.id);
    },
  );
});
