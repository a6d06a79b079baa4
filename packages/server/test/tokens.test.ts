// Tokens and sessions: made, used and ended through the API, by another process, and by a login link (HTTP-7).

import { Engine } from "@segno/engine";
import { describe, expect, it } from "vitest";
import { serve, Tokens } from "../src/index.ts";
import { ServerFixture, type CallResult } from "./server-fixture.ts";

const TOKENS = "/v1/tokens";

async function logIn(fixture: ServerFixture, headers: Record<string, string> = {}): Promise<CallResult> {
  const [record] = await fixture.server.tokens.list();
  const link = new URL(fixture.server.loginLink(record!.hash));
  return fixture.call(link.pathname + link.search, { token: "", headers });
}

const cookieOf = ({ headers }: CallResult): string => headers.get("set-cookie")!.split(";")[0]!;

describe("the routes of tokens", () => {
  it("HTTP-7 make a token that is shown once, list it without the token, and revoke it: TOKEN_UNKNOWN afterwards", async () => {
    await using fixture = await ServerFixture.open();
    const made = await fixture.post(TOKENS, { name: "ci", scopes: ["read"], expiresAt: Date.now() + 60_000 });
    expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"]);
    const token = made.json["token"] as string;
    expect((await fixture.call("/v1/executions", { token })).status).toBe(200);
    const listed = await fixture.call(TOKENS);
    expect((listed.json["tokens"] as { name: string }[]).map(({ name }) => name)).toEqual(["root", "ci"]);
    expect(listed.text).not.toContain(token);
    expect((await fixture.call(`${TOKENS}/ci`, { method: "DELETE" })).json).toEqual({ revoked: 1 });
    expect((await fixture.call("/v1/executions", { token })).status).toBe(401);
    const again = await fixture.call(`${TOKENS}/ci`, { method: "DELETE" });
    expect([again.status, again.json["code"]]).toEqual([404, "TOKEN_UNKNOWN"]);
  });

  it("HTTP-7 refuse a token without a scope, with an unknown one, or with a strange name", async () => {
    await using fixture = await ServerFixture.open();
    for (const body of [
      { name: "a", scopes: [] },
      { name: "a", scopes: ["root"] },
      { name: "", scopes: ["read"] },
    ])
      expect((await fixture.post(TOKENS, body)).status, JSON.stringify(body)).toBe(400);
    expect(await fixture.server.tokens.list()).toHaveLength(1);
  });
});

describe("a login link", () => {
  it("HTTP-7 gives the browser a cookie that scripts cannot read, and no token; LOGIN_CODE_INVALID the second time", async () => {
    await using fixture = await ServerFixture.open();
    const [record] = await fixture.server.tokens.list();
    const link = fixture.server.loginLink(record!.hash);
    expect(link).not.toContain(fixture.token);
    const { pathname, search } = new URL(link);
    const first = await fixture.call(pathname + search, { token: "" });
    expect([first.status, first.headers.get("location")]).toEqual([303, "/"]);
    const cookie = first.headers.get("set-cookie")!;
    expect(cookie).toMatch(/^segno_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/u);
    const second = await fixture.call(pathname + search, { token: "" });
    expect([second.status, second.json["code"]]).toEqual([401, "LOGIN_CODE_INVALID"]);
    expect(second.headers.get("set-cookie")).toBeNull();
  });

  it("HTTP-7 sets a secure cookie behind a proxy that speaks https", async () => {
    await using fixture = await ServerFixture.open();
    const answer = await logIn(fixture, { "x-forwarded-proto": "https" });
    expect(answer.headers.get("set-cookie")).toContain("; Secure");
  });

  it("HTTP-7 opens a session that acts for the token until it logs out or the token is revoked", async () => {
    await using fixture = await ServerFixture.open();
    const read = (cookie: string) => fixture.call("/v1/executions", { token: "", headers: { cookie } });
    const [one, two] = [cookieOf(await logIn(fixture)), cookieOf(await logIn(fixture))];
    expect([(await read(one)).status, (await read(two)).status]).toEqual([200, 200]);
    const out = await fixture.post("/v1/logout", {}, { token: "", headers: { cookie: one } });
    expect([out.status, out.headers.get("set-cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    expect([(await read(one)).status, (await read(two)).status]).toEqual([401, 200]);
    await fixture.server.tokens.revoke("root");
    expect((await read(two)).status).toBe(401);
  });

  it("HTTP-7 ORIGIN_REFUSED: a page of another origin cannot use the session", async () => {
    await using fixture = await ServerFixture.open();
    const cookie = cookieOf(await logIn(fixture));
    const start = (headers: Record<string, string>) =>
      fixture.post("/v1/executions", { workflow: "asks" }, { token: "", headers: { cookie, ...headers } });
    expect((await start({ origin: "https://evil.example.com" })).json["code"]).toBe("ORIGIN_REFUSED");
    expect((await start({ "sec-fetch-site": "cross-site" })).json["code"]).toBe("ORIGIN_REFUSED");
    expect((await start({ origin: fixture.server.url, "sec-fetch-site": "same-origin" })).status).toBe(202);
  });

  it("HTTP-7 is the only address that takes a code, and a code in another address opens nothing", async () => {
    await using fixture = await ServerFixture.open();
    const [record] = await fixture.server.tokens.list();
    const { search } = new URL(fixture.server.loginLink(record!.hash));
    for (const path of ["/login/", "/Login", "/v1/login", "//login", "/login/x", "/v1/executions"])
      expect((await fixture.call(path + search, { token: "" })).status, path).toBe(401);
    expect((await fixture.call(`/login${search}`, { token: "" })).status).toBe(303);
  });
});

describe("a token that another process revokes", () => {
  it("HTTP-7 opens nothing more within seconds, and its open streams end", async () => {
    await using fixture = await ServerFixture.open();
    const { json } = await fixture.post("/v1/executions", { workflow: "asks", id: "e1" });
    const token = await fixture.newToken("ann", "read");
    const headers = { authorization: `Bearer ${token}` };
    const events = await fetch(`${fixture.server.url}/v1/executions/${json["id"] as string}/events`, { headers });
    const logs = fetch(`${fixture.server.url}/v1/executions/e1/logs?follow=true`, { headers });
    const logsEnd = logs.then((answer) => answer.text()).catch(() => "cut off");
    expect(events.status).toBe(200);
    await using other = await Engine.open({ file: `${fixture.folder}/segno.db`, limits: { slots: 0 } });
    expect(other.isOwner).toBe(false);
    expect(await new Tokens(other.extensions.documents!).revoke("ann")).toBe(1);
    // Both end by themselves: the execution still waits.
    await events.text();
    await logsEnd;
    expect((await fixture.call("/v1/executions", { token })).status).toBe(401);
    expect((await fixture.call("/v1/executions/e1")).json["status"]).toBe("running");
  });
});

describe("a server on another address than loopback", () => {
  it("HTTP-7 does not start before there is a valid token", async () => {
    await using engine = await Engine.open({ store: "none" });
    const start = () => serve(engine, { port: 0, host: "0.0.0.0" });
    await expect(start()).rejects.toMatchObject({ code: "OPTION_INVALID" });
    const tokens = new Tokens(engine.extensions.documents!);
    await tokens.create({ name: "old", scopes: ["admin"], expiresAt: Date.now() - 1 });
    await expect(start()).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await tokens.create({ name: "new", scopes: ["read"] });
    const server = await start();
    await server.close();
  });
});
