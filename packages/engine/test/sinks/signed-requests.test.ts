// Requests of a sink are signed as in Standard Webhooks, and the reference library accepts them.

import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { Engine, openSink, providedSecrets, workflow, type HttpSinkOptions, type SinkPorts } from "@segno/engine";
import type { HostAddress } from "../../src/runners/http/address-guard.ts";
import type { AllowPrivate } from "../../src/runners/http/private-network-policy.ts";
import { HttpSinkOutput, type SinkAnswer } from "../../src/sinks/http-sink-output.ts";
import { webhookHeaders } from "../../src/sinks/webhook-signature.ts";
import { startServer, statuses, type RecordedRequest } from "./recording-server.ts";

const SECRET = `whsec_${Buffer.from("a key of twenty-four byt").toString("base64")}`;

const OTHER_SECRET = `whsec_${Buffer.from("another key of that size").toString("base64")}`;

const greet = workflow("greet").step("hello", () => "hello");

/** The reference library parses JSON after it has checked the signature, and a batch is lines of JSON. */
function isSigned({ body, headers }: RecordedRequest, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch (error) {
    return error instanceof SyntaxError;
  }
}

describe("the signature of a request", () => {
  it("EVENT-3 is accepted by the reference library, for a prefixed and for a plain secret", () => {
    const body = Buffer.from('{"message":"é"}\n');
    const now = Date.now();
    const check = (webhook: Webhook, secret: string): unknown =>
      webhook.verify(body.toString(), Object.fromEntries(webhookHeaders(body, now, secret)));
    expect(check(new Webhook(SECRET), SECRET)).toEqual({ message: "é" });
    expect(check(new Webhook("a plain secret", { format: "raw" }), "a plain secret")).toEqual({ message: "é" });
    expect(() => check(new Webhook(SECRET), "another secret")).toThrow("No matching signature");
  });

  it("EVENT-3 has an id that is the same when a batch is sent again, and the time of the attempt", () => {
    const body = Buffer.from("a\n");
    const [first, second] = [webhookHeaders(body, 1_000_999, SECRET), webhookHeaders(body, 9_000_000, SECRET)];
    expect(first.get("webhook-id")).toBe(second.get("webhook-id"));
    expect([first.get("webhook-timestamp"), second.get("webhook-timestamp")]).toEqual(["1000", "9000"]);
    expect(first.get("webhook-signature")).not.toBe(second.get("webhook-signature"));
  });
});

describe("a sink of an engine with a secret", () => {
  it("EVENT-3 DATA-9 signs every request with the secret of the engine's source, which appears nowhere", async () => {
    await using server = await startServer(statuses(500, 200));
    const [faults, logged]: [unknown[], string[]] = [[], []];
    const url = `${server.url}/${SECRET}`;
    const engine = await Engine.open({
      store: "none",
      workflows: [greet],
      secrets: providedSecrets((name) => (name === "hook" ? SECRET : undefined)),
      onFault: (error) => faults.push(String(error)),
      sinks: [{ type: "http", url, secret: "hook", batchMs: 0 }],
    });
    engine.onLog({}, (line) => logged.push(JSON.stringify(line)));
    await (await engine.start("greet")).result();
    await expect.poll(() => engine.sinks[0]!.delivered).toBeGreaterThan(0);
    await engine.close();
    for (const request of server.requests) {
      expect(isSigned(request, SECRET)).toBe(true);
      expect(isSigned(request, OTHER_SECRET)).toBe(false);
      expect(request.body).not.toContain(SECRET.slice(6));
    }
    expect(faults).toHaveLength(1);
    expect(JSON.stringify([faults, logged])).not.toContain(SECRET.slice(6));
  });

  it("EVENT-3 signs the last events, which are sent while the engine closes", async () => {
    await using server = await startServer(statuses(200));
    const engine = await Engine.open({
      store: "none",
      workflows: [greet],
      secrets: providedSecrets(() => SECRET),
      sinks: [{ type: "http", url: server.url, secret: "hook", batchMs: 60_000 }],
    });
    await (await engine.start("greet")).result();
    await engine.close();
    expect(server.requests.flatMap(({ messages }) => messages)).toContain("execution.completed");
    expect(server.requests.every((request) => isSigned(request, SECRET))).toBe(true);
  });

  it("EVENT-3 sends nothing unsigned: it waits until the secret is there", async () => {
    await using server = await startServer(statuses(200));
    const faults: unknown[] = [];
    let secret: string | undefined;
    const engine = await Engine.open({
      store: "none",
      workflows: [greet],
      secrets: providedSecrets(() => secret),
      onFault: (error) => faults.push(error),
      sinks: [{ type: "http", url: server.url, secret: "hook", batchMs: 0 }],
    });
    await (await engine.start("greet")).result();
    await expect.poll(() => engine.sinks[0]!.failures).toBe(1);
    expect(server.requests).toEqual([]);
    expect(faults).toMatchObject([{ message: expect.stringContaining("there is no secret `hook`") as string }]);
    secret = SECRET;
    await expect.poll(() => server.requests.length).toBeGreaterThan(0);
    await engine.close();
    expect(server.requests.every(({ headers }) => headers["webhook-signature"] !== undefined)).toBe(true);
  });
});

describe("the options of a sink over HTTP", () => {
  const open = (options: Partial<HttpSinkOptions>, ports: SinkPorts = {}): unknown =>
    openSink({ type: "http", url: "http://127.0.0.1:1/", ...options }, ports);

  it.each<[string, Partial<HttpSinkOptions>]>([
    ["secret", { secret: "hook" }],
    ["headers", { headers: { "webhook-id": "mine" } }],
    ["headers", { headers: { "transfer-encoding": "chunked" } }],
    ["headers", { headers: { "x-a": "line\nbreak" } }],
    ["batchLines", { batchLines: 0 }],
    ["batchBytes", { batchBytes: 10 }],
    ["batchMs", { batchMs: -1 }],
    ["timeoutMs", { timeoutMs: 0.5 }],
    ["allowPrivate", { allowPrivate: ["10.0.0.0/99"] }],
    ["name", { name: "../up" }],
  ])("EVENT-3 are refused: %s (%o)", (option, options) => {
    expect(() => open(options)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining(`\`${option}\``) as string }),
    );
  });

  it("EVENT-3 DATA-9 show no value of a header in a message", () => {
    expect(() => open({ headers: { authorization: "a-token\nb" } })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("a-token") as string }),
    );
  });
});

describe("the address of a sink over HTTP", () => {
  const deliver = async (url: string, allowPrivate: AllowPrivate = false): Promise<SinkAnswer> => {
    const target = { url, headers: {}, timeoutMs: 10_000, attempts: 1, allowPrivate };
    const lookup = async (): Promise<readonly HostAddress[]> => [{ address: "127.0.0.1", family: 4 }];
    const output = new HttpSinkOutput(target, { now: () => 1, wait: async () => undefined, lookup });
    return await output.deliver(["{}"], new AbortController().signal);
  };

  it("EVENT-3 may be private if the URL has it; a host name that resolves to it must be allowed", async () => {
    await using server = await startServer(statuses(200));
    const named = server.url.replace("127.0.0.1", "collector.example");
    expect(await deliver(server.url)).toEqual({ kind: "accepted" });
    expect(await deliver(server.url.replace("127.0.0.1", "localhost"))).toEqual({ kind: "accepted" });
    expect(await deliver(named)).toMatchObject({
      kind: "busy",
      reason: expect.stringContaining("collector.example, which is 127.0.0.1, is not a public address") as string,
    });
    expect(await deliver(named, ["collector.example"])).toEqual({ kind: "accepted" });
    expect(await deliver(named, ["127.0.0.0/8"])).toEqual({ kind: "accepted" });
    expect(server.requests).toHaveLength(4);
  });
});
