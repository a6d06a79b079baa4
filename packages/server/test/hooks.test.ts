// Hooks: signed requests of other systems start workflows and send signals (HTTP-5, HTTP-7).

import { createHmac } from "node:crypto";

import { providedSecrets } from "@segno/engine";
import { describe, expect, it } from "vitest";
import type { Hook } from "../src/index.ts";
import { ServerFixture, type CallResult } from "./server-fixture.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const GITHUB: Hook = {
  secret: "github",
  signature: { kind: "body", header: "X-Hub-Signature-256", prefix: "sha256=" },
  key: { header: "X-GitHub-Delivery" },
  start: "hello",
  input: "{name: sender.login}",
};
const HOOKS: Readonly<Record<string, Hook>> = {
  greet: { secret: "greet", start: "hello" },
  github: GITHUB,
  answer: {
    secret: "greet",
    signal: { name: "go", execution: "execution" },
    input: "payload",
    key: { expression: "delivery" },
  },
};
const secrets = providedSecrets((name) => ({ greet: SECRET, github: "It's a Secret to Everybody" })[name]);
const open = (): Promise<ServerFixture> => ServerFixture.open({ hooks: HOOKS, secrets });

interface Signed {
  readonly id?: string;
  readonly at?: number;
  readonly body: string;
  readonly secret?: string;
}

function standardHeaders({ id = "msg_1", at = Date.now(), body, secret = SECRET }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

function send(
  fixture: ServerFixture,
  name: string,
  body: string,
  headers: Record<string, string>,
): Promise<CallResult> {
  return fixture.call(`/v1/hooks/${name}`, { method: "POST", body, token: "", headers });
}

async function count(fixture: ServerFixture): Promise<number> {
  return ((await fixture.call("/v1/executions")).json["executions"] as unknown[]).length;
}

describe("a hook", () => {
  it("HTTP-5 starts a workflow with the body as its input, once for each id of a request", async () => {
    await using fixture = await open();
    const body = '{ "name": "Ann" }';
    const first = await send(fixture, "greet", body, standardHeaders({ body }));
    expect(first.status).toBe(202);
    const { execution } = first.json as { execution: string };
    expect(first.headers.get("location")).toBe(`/v1/executions/${execution}`);
    const handle = await fixture.engine.get(execution);
    expect(await handle.result()).toBe("Hello Ann");
    const again = await send(fixture, "greet", body, standardHeaders({ body, at: Date.now() - 2000 }));
    expect([again.json["execution"], again.headers.get("idempotency-replayed")]).toEqual([execution, "true"]);
    const other = await send(fixture, "greet", body, standardHeaders({ body, id: "msg_2" }));
    expect(other.json["execution"]).not.toBe(execution);
    expect(await count(fixture)).toBe(2);
  });

  it("HTTP-5 checks a signature over the body alone, takes the key from a header and the input from an expression", async () => {
    await using fixture = await open();
    const body = '{"sender":{"login":"mona"}}';
    const signature = createHmac("sha256", "It's a Secret to Everybody").update(body).digest("hex");
    const headers = { "x-hub-signature-256": `sha256=${signature}`, "x-github-delivery": "d-1" };
    const { json } = await send(fixture, "github", body, headers);
    const handle = await fixture.engine.get(json["execution"] as string);
    expect(await handle.result()).toBe("Hello mona");
    const again = await send(fixture, "github", body, headers);
    expect(again.json["execution"]).toBe(json["execution"]);
    const without = await send(fixture, "github", body, { "x-hub-signature-256": `sha256=${signature}` });
    expect([without.status, without.json["code"]]).toEqual([400, "REQUEST_INVALID"]);
    expect(await count(fixture)).toBe(1);
  });

  it("HTTP-5 sends a signal to the execution that the body names, once for each key", async () => {
    await using fixture = await open();
    const { id } = (await fixture.post("/v1/executions", { workflow: "asks" })).json as { id: string };
    await fixture.post(`/v1/executions/${id}/votes`, { step: "ask", verdict: "approve" });
    const body = JSON.stringify({ execution: id, payload: { said: "go" }, delivery: 7 });
    const first = await send(fixture, "answer", body, standardHeaders({ body }));
    expect([first.status, first.json["execution"]]).toEqual([202, id]);
    const handle = await fixture.engine.get(id);
    expect(await handle.result()).toEqual({ said: "go" });
    const unknown = JSON.stringify({ execution: "none", payload: {}, delivery: 8 });
    const lost = await send(fixture, "answer", unknown, standardHeaders({ body: unknown }));
    expect([lost.status, lost.json["code"]]).toEqual([404, "EXECUTION_UNKNOWN"]);
    const nowhere = JSON.stringify({ payload: {}, delivery: 9 });
    expect((await send(fixture, "answer", nowhere, standardHeaders({ body: nowhere }))).status).toBe(400);
  });
});

describe("a request of a hook", () => {
  it("HTTP-7 SIGNATURE_INVALID without a valid signature over its bytes at this time, and then nothing starts", async () => {
    await using fixture = await open();
    const body = '{"name":"Ann"}';
    const signed = standardHeaders({ body });
    const cases: readonly (readonly [string, string, Record<string, string>])[] = [
      ["without a signature", body, {}],
      ["with another body", '{"name":"Eve"}', signed],
      ["with the same JSON in other bytes", '{ "name":"Ann"}', signed],
      ["with another id", body, { ...signed, "webhook-id": "msg_9" }],
      ["with another secret", body, standardHeaders({ body, secret: "whsec_b3RoZXI=" })],
      ["with an empty secret", body, standardHeaders({ body, secret: "whsec_" })],
      ["that is old", body, standardHeaders({ body, at: Date.now() - 6 * 60_000 })],
      ["from the future", body, standardHeaders({ body, at: Date.now() + 6 * 60_000 })],
      ["with a time that is no number", body, { ...signed, "webhook-timestamp": "now" }],
      [
        "with another version",
        body,
        { ...signed, "webhook-signature": signed["webhook-signature"]!.replace("v1", "v0") },
      ],
    ];
    for (const [name, text, headers] of cases) {
      const answer = await send(fixture, "greet", text, headers);
      expect([answer.status, answer.json["code"]], name).toEqual([401, "SIGNATURE_INVALID"]);
      expect(answer.text).not.toContain(SECRET);
    }
    expect(await count(fixture)).toBe(0);
  });

  it("HTTP-5 may have several signatures, while a secret is being replaced", async () => {
    await using fixture = await open();
    const body = '{"name":"Ann"}';
    const headers = standardHeaders({ body });
    const both = { ...headers, "webhook-signature": `v1,b3RoZXI= ${headers["webhook-signature"]!}` };
    expect((await send(fixture, "greet", body, both)).status).toBe(202);
  });

  it("HTTP-6 to an unknown hook is HOOK_UNKNOWN, and one that is too large is refused", async () => {
    await using fixture = await open();
    expect((await send(fixture, "none", "{}", {})).json["code"]).toBe("HOOK_UNKNOWN");
    const body = JSON.stringify({ name: "x".repeat(1024 * 1024) });
    expect((await send(fixture, "greet", body, standardHeaders({ body }))).status).toBe(413);
  });
});

const BAD: readonly (readonly [string, object])[] = [
  ["without a secret", { start: "hello" }],
  ["without an action", { secret: "greet" }],
  ["with two actions", { secret: "greet", start: "hello", signal: { name: "go", execution: "id" } }],
  ["with an unknown key", { secret: "greet", start: "hello", workflow: "x" }],
  ["with a signature without a time, and without a key", { ...GITHUB, key: undefined }],
  ["with a broken expression", { secret: "greet", start: "hello", input: "a[" }],
];

describe("the configuration of a hook", () => {
  it.each(BAD)("OPTION_INVALID %s stops the start of the server", async (_, hook) => {
    await expect(ServerFixture.open({ hooks: { bad: hook as Hook }, secrets })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining("`bad`"),
    });
  });

  it("SECRET_MISSING stops the start of the server when its secret is missing", async () => {
    const hooks = { lost: { secret: "lost", start: "hello" } };
    await expect(ServerFixture.open({ hooks, secrets })).rejects.toMatchObject({ code: "SECRET_MISSING" });
  });
});
