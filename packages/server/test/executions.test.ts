// The routes that start, read, list and control executions, against a real server.

import { describe, expect, it } from "vitest";
import { ServerFixture } from "./server-fixture.ts";

describe("POST /v1/executions", () => {
  it("HTTP-1 answers 202 with the place and when to ask again", async () => {
    await using fixture = await ServerFixture.open();
    const { status, headers, json } = await fixture.post("/v1/executions", { workflow: "asks" });
    expect(status).toBe(202);
    expect(headers.get("location")).toBe(`/v1/executions/${String(json["id"])}`);
    expect(headers.get("retry-after")).toBe("5");
    expect(headers.get("content-type")).toMatch(/^application\/json/u);
    expect(headers.get("etag")).toMatch(/^"[0-9a-f]{16}"$/u);
    expect(headers.get("cache-control")).toBe("max-age=0, must-revalidate");
  });

  it("HTTP-1 waits for the result if it is asked to, and answers 200", async () => {
    await using fixture = await ServerFixture.open();
    const body = { workflow: "hello", input: { name: "Ada" } };
    const { status, json, headers } = await fixture.post("/v1/executions", body, { headers: { prefer: "wait=10" } });
    expect([status, json["output"], headers.get("retry-after")]).toEqual([200, "Hello Ada", null]);
    expect(headers.get("etag")).not.toBeNull();
  });

  it("HTTP-1 answers 202 when the execution takes longer than the call waits", async () => {
    await using fixture = await ServerFixture.open();
    const { status, json } = await fixture.post(
      "/v1/executions",
      { workflow: "asks" },
      { headers: { prefer: "wait=1" } },
    );
    expect([status, json["status"]]).toEqual([202, "running"]);
  });

  it("HTTP-4 a key gives the same execution, and says so; another payload is refused; a bad key too", async () => {
    await using fixture = await ServerFixture.open();
    const start = (input: object, key: string) =>
      fixture.post(
        "/v1/executions",
        { workflow: "hello", input },
        { headers: { "idempotency-key": key, prefer: "wait=5" } },
      );
    const first = await start({ name: "Ada" }, "order-1");
    const again = await start({ name: "Ada" }, '"order-1"');
    expect(again.json["id"]).toBe(first.json["id"]);
    expect([first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")]).toEqual([
      null,
      "true",
    ]);
    expect(await start({ name: "Bob" }, "order-1")).toMatchObject({
      status: 422,
      json: { code: "IDEMPOTENCY_CONFLICT" },
    });
    expect(await start({ name: "Bob" }, "order 1")).toMatchObject({
      status: 400,
      json: { code: "IDEMPOTENCY_KEY_INVALID" },
    });
  });
});

describe("the start of an execution", () => {
  it("HTTP-3 takes 1 MB when it waits and 10 MB when it does not, in bytes", async () => {
    await using fixture = await ServerFixture.open();
    const body = (bytes: number) => ({ workflow: "hello", input: { name: "ä".repeat(bytes / 2) } });
    const waiting = { headers: { prefer: "wait=1" } };
    expect((await fixture.post("/v1/executions", body(1_100_000), waiting)).status).toBe(413);
    expect((await fixture.post("/v1/executions", body(1_000_000), waiting)).status).toBe(200);
    expect((await fixture.post("/v1/executions", body(9_000_000))).status).toBe(202);
    const large = await fixture.post("/v1/executions", body(11_000_000));
    expect([large.status, large.json["code"]]).toEqual([413, "BODY_TOO_LARGE"]);
  });

  it("has the correlation id of the header, of the body, or a new one", async () => {
    await using fixture = await ServerFixture.open();
    const start = { workflow: "hello", input: { name: "Ada" } };
    const byHeader = await fixture.post("/v1/executions", start, { headers: { "x-correlation-id": "c-1" } });
    const byBody = await fixture.post("/v1/executions", { ...start, correlationId: "c-2" });
    const fresh = await fixture.post("/v1/executions", start);
    expect([byHeader.json["correlationId"], byBody.json["correlationId"]]).toEqual(["c-1", "c-2"]);
    expect(fresh.json["correlationId"]).toMatch(/.{8}/u);
    expect(byHeader.headers.get("x-correlation-id")).toBe("c-1");
  });
});

describe("GET /v1/executions/{id}", () => {
  it("HTTP-2 answers 304 to the tag of the same state", async () => {
    await using fixture = await ServerFixture.open();
    const { json } = await fixture.post(
      "/v1/executions",
      { workflow: "hello", input: { name: "Ada" } },
      { headers: { prefer: "wait=10" } },
    );
    const path = `/v1/executions/${String(json["id"])}`;
    const first = await fixture.call(path);
    const tag = first.headers.get("etag")!;
    const same = await fixture.call(path, { headers: { "if-none-match": tag } });
    expect([first.status, same.status, same.text, same.headers.get("etag")]).toEqual([200, 304, "", tag]);
    expect((await fixture.call(path, { headers: { "if-none-match": '"0000000000000000"' } })).status).toBe(200);
  });

  it("HTTP-6 answers 404 with the stable code", async () => {
    await using fixture = await ServerFixture.open();
    const { status, headers, json } = await fixture.call("/v1/executions/none");
    expect([status, json["code"], json["status"]]).toEqual([404, "EXECUTION_UNKNOWN", 404]);
    expect(headers.get("content-type")).toMatch(/^application\/problem\+json/u);
  });
});

describe("an execution that waits for people", () => {
  it("HTTP-5 is found in the approvals, is voted on by the name of the token, takes a signal and ends", async () => {
    await using fixture = await ServerFixture.open();
    const ann = await fixture.newToken("ann", "approve");
    const { json } = await fixture.post("/v1/executions", { workflow: "asks" });
    const path = `/v1/executions/${String(json["id"])}`;
    await expect.poll(async () => (await fixture.call("/v1/approvals")).json["approvals"]).toHaveLength(1);
    expect((await fixture.call(`${path}/why`)).json).toMatchObject({ waiting: [{ step: "ask" }, { step: "go" }] });
    const vote = { step: "ask", verdict: "approve", comment: "fine" };
    expect((await fixture.post(`${path}/votes`, { ...vote, by: "eve" }, { token: ann })).status).toBe(400);
    expect((await fixture.post(`${path}/votes`, vote, { token: ann })).json).toEqual({ kind: "accepted" });
    expect(await fixture.post(`${path}/signals/go`, { payload: 3 })).toMatchObject({
      status: 422,
      json: { code: "SIGNAL_INVALID" },
    });
    expect((await fixture.post(`${path}/signals/go`, { payload: { ok: true } })).status).toBe(200);
    await expect.poll(async () => (await fixture.call(path)).json["status"]).toBe("completed");
    const { json: page } = await fixture.call(`${path}/journal?limit=1000`);
    expect(page["events"]).toContainEqual(
      expect.objectContaining({ kind: "approval.voted", by: "ann", comment: "fine" }),
    );
    const lines = await fixture.call(`${path}/journal`, { headers: { accept: "application/x-ndjson" } });
    expect(lines.text.trim().split("\n")).toHaveLength((page["events"] as unknown[]).length);
  });

  it("CANCEL-1 is cancelled, and says so when it is cancelled again", async () => {
    await using fixture = await ServerFixture.open();
    const { json } = await fixture.post("/v1/executions", { workflow: "asks" });
    const path = `/v1/executions/${String(json["id"])}`;
    expect((await fixture.post(`${path}/cancel`, { reason: "no" })).json).toEqual({ kind: "accepted" });
    await expect.poll(async () => (await fixture.call(path)).json["status"]).toBe("cancelled");
    expect((await fixture.post(`${path}/cancel`)).json).toMatchObject({ kind: "ignored", reason: "ended" });
  });
});
