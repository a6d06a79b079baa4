// Live events (HTTP-5): gap-free, resumable, limited, and ended with their token.

import { describe, expect, it } from "vitest";
import { ServerFixture } from "./server-fixture.ts";

interface SentEvent {
  readonly id: string;
  readonly kind: string;
  readonly seq: number;
}

/** Reads a stream until it ends, or until `count` events have come. */
async function readEvents(response: Response, count = Number.POSITIVE_INFINITY): Promise<readonly SentEvent[]> {
  const events: SentEvent[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [id, kind, data] = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      if (data === undefined) continue;
      const { seq } = JSON.parse(data.slice("data: ".length)) as { seq: number };
      events.push({ id: id!.slice("id: ".length), kind: kind!.slice("event: ".length), seq });
      if (events.length >= count) return events;
    }
  }
  return events;
}

const follow = (fixture: ServerFixture, id: string, headers: Record<string, string> = {}, token = fixture.token) =>
  fetch(`${fixture.server.url}/v1/executions/${id}/events`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

describe("the events of an execution", () => {
  it("HTTP-5 come once each and in order, from the first to the end", async () => {
    await using fixture = await ServerFixture.open();
    await fixture.post("/v1/executions", { workflow: "asks", id: "e1" });
    const response = await follow(fixture, "e1");
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const reading = readEvents(response);
    await expect
      .poll(() =>
        fixture.post("/v1/executions/e1/votes", { step: "ask", verdict: "approve" }).then(({ json }) => json["kind"]),
      )
      .toBe("accepted");
    await fixture.post("/v1/executions/e1/signals/go", { payload: {} });
    const events = await reading;
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ id }) => id)).toEqual(events.map(({ seq }) => `e1:${seq}`));
    expect(events.at(-1)!.kind).toBe("execution.completed");
  });

  it("HTTP-5 continue after the last id, without a gap or a repeat", async () => {
    await using fixture = await ServerFixture.open();
    await fixture.post(
      "/v1/executions",
      { workflow: "hello", id: "e 2", input: { name: "Ada" } },
      { headers: { prefer: "wait=10" } },
    );
    const all = await readEvents(await follow(fixture, "e%202"));
    const rest = await readEvents(await follow(fixture, "e%202", { "last-event-id": all[1]!.id }));
    expect(rest).toEqual(all.slice(2));
    expect(await readEvents(await follow(fixture, "e%202", { "last-event-id": all.at(-1)!.id }))).toEqual([]);
  });

  it.each(["other:1", "e3", "e3:x", "e3:-1", "e3:999", "e3:1e9"])("HTTP-5 refuse %j as the last id", async (id) => {
    await using fixture = await ServerFixture.open();
    await fixture.post("/v1/executions", { workflow: "asks", id: "e3" });
    const response = await follow(fixture, "e3", { "last-event-id": id });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, "EVENT_ID_INVALID"]);
  });

  it("HTTP-7 end when their token is revoked, and when the server closes", async () => {
    const fixture = await ServerFixture.open();
    const token = await fixture.newToken("ann", "read");
    await fixture.post("/v1/executions", { workflow: "asks", id: "e4" });
    const [ann, root] = [readEvents(await follow(fixture, "e4", {}, token)), readEvents(await follow(fixture, "e4"))];
    await fixture.server.tokens.revoke("ann");
    expect((await ann).length).toBeGreaterThan(0);
    await fixture[Symbol.asyncDispose]();
    expect((await root).length).toBeGreaterThan(0);
  });

  it("HTTP-7 are limited for each token", async () => {
    await using fixture = await ServerFixture.open({ limits: { streamsPerToken: 2 } });
    await fixture.post("/v1/executions", { workflow: "asks", id: "e5" });
    const open = [await follow(fixture, "e5"), await follow(fixture, "e5")];
    const third = await follow(fixture, "e5");
    expect([third.status, ((await third.json()) as { code: string }).code]).toEqual([429, "STREAMS_LIMITED"]);
    await open[0]!.body!.cancel();
    await expect
      .poll(async () => {
        const again = await follow(fixture, "e5");
        await again.body!.cancel();
        return again.status;
      })
      .toBe(200);
    await open[1]!.body!.cancel();
  });
});
