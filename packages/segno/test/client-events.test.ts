// Events and logs of the client over connections that break (HTTP-5).

import { SegnoClient, type ApiEvent, type ClientOptions } from "@segno/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ServeFixture } from "./serve-fixture.ts";

const ASKS = `
name: asks
steps:
  - { id: ask, approve: { message: "Ship it?" } }
  - { id: go, wait: { signal: go }, dependsOn: [ask] }
output: \${ steps.go.output }
`;
const SAYS = `
name: says
steps: [{ id: say, run: "echo one; echo two; echo three" }]
`;

let fixture: ServeFixture;
beforeAll(async () => void (fixture = await ServeFixture.open({ contracts: [ASKS, SAYS] })));
afterAll(() => fixture[Symbol.asyncDispose]());

const clientFor = (given: Partial<ClientOptions> = {}): SegnoClient =>
  new SegnoClient({ url: fixture.server.url, token: fixture.token, ...given });

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Cuts every stream of events after this many bytes. */
const cutting =
  (bytes: number, cuts: string[]): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).endsWith("/events") || response.body === null) return response;
    cuts.push(new Headers(init?.headers).get("last-event-id") ?? "");
    let left = bytes;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk.slice(0, left));
        left -= chunk.length;
        if (left <= 0) controller.error(new Error("cut"));
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };

describe("HTTP-5 events", () => {
  it("come once each and in order over connections that break inside of events", async () => {
    const client = clientFor();
    await client.start("asks", null, { id: "cut 1" });
    const cuts: string[] = [];
    const seen: ApiEvent[] = [];
    const reading = (async () => {
      for await (const event of clientFor({ fetch: cutting(1500, cuts) }).events("cut 1")) seen.push(event);
    })();
    await expect.poll(() => seen.length).toBeGreaterThan(1);
    await client.vote("cut 1", { step: "ask", verdict: "approve" });
    await client.signal("cut 1", "go");
    await reading;
    expect(seen).toEqual(await all(client.events("cut 1")));
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, place) => place + 1));
    expect(cuts.length).toBeGreaterThan(2);
    expect(cuts[0]).toBe("");
    expect(cuts.slice(1).every((id) => id === "" || id.startsWith("cut%201:"))).toBe(true);
  });

  it("go on after the server was closed and started again, and end with the execution", async () => {
    const client = clientFor();
    await client.start("asks", null, { id: "again" });
    const seen: ApiEvent[] = [];
    const reading = (async () => {
      for await (const event of client.events("again")) seen.push(event);
    })();
    await expect.poll(() => seen.length).toBeGreaterThan(0);
    await fixture.restart();
    await client.vote("again", { step: "ask", verdict: "approve" });
    await client.signal("again", "go");
    await reading;
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, place) => place + 1));
    expect(seen.at(-1)!.kind).toBe("execution.completed");
  });
});

describe("HTTP-5 the events of one iteration", () => {
  it("begin after a number, and are none after the last one", async () => {
    const client = clientFor();
    await client.start("says", null, { id: "begun", wait: 20 });
    const events = await all(client.events("begun"));
    expect(await all(client.events("begun", { after: 2 }))).toEqual(events.slice(2));
    expect(await all(client.events("begun", { after: events.length }))).toEqual([]);
    await expect(all(client.events("begun", { after: 999 }))).rejects.toMatchObject({ code: "EVENT_ID_INVALID" });
  });

  it("end when the signal aborts, and when the caller leaves the loop", async () => {
    const client = clientFor();
    await client.start("asks", null, { id: "left" });
    const controller = new AbortController();
    const seen: number[] = [];
    for await (const { seq } of client.events("left", { signal: controller.signal })) {
      seen.push(seq);
      if (seen.length === 2) controller.abort();
    }
    expect(seen.length).toBeGreaterThanOrEqual(2);
    for await (const _ of client.events("left")) break;
    await client.cancel("left");
  });

  it("give up when the server stays away, and when the token is revoked", async () => {
    const client = clientFor();
    await client.start("asks", null, { id: "away" });
    const gone: typeof fetch = async () => Promise.reject(new TypeError("fetch failed"));
    await expect(all(clientFor({ fetch: gone, reconnectMs: 300 }).events("away"))).rejects.toMatchObject({
      code: "SERVER_UNREACHABLE",
    });
    const reading = all(clientFor({ token: await fixture.newToken("ann", "read") }).events("away"));
    await fixture.server.tokens.revoke("ann");
    await expect(reading).rejects.toMatchObject({ code: "TOKEN_MISSING" });
    await client.cancel("away");
  });
});

describe("HTTP-5 logs that follow", () => {
  it("come once each over a connection that breaks", async () => {
    const client = clientFor();
    await client.start("says", null, { id: "said", wait: 20 });
    let isCut = false;
    const once: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (isCut) return response;
      isCut = true;
      const body = (await response.text()).slice(0, -20);
      const broken = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(body)),
        pull: (controller) => controller.error(new Error("cut")),
      });
      return new Response(broken, response);
    };
    const lines = await all(clientFor({ fetch: once }).logs("said", { follow: true }));
    expect(lines).toEqual(await all(client.logs("said")));
    expect(isCut).toBe(true);
  });
});
