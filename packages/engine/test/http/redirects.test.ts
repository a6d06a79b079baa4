// Redirects: each target is checked like the first address and gets only the headers meant for it.

import { describe, expect, it } from "vitest";
import { serve, type LocalServer, type Seen } from "./local-server.ts";
import { fetchResponse, sendRequest, fetchFailure, type RequestOptions } from "./recording-attempt.ts";

/** `/from` redirects to `/to`; every other path responds normally. */
function serveRedirect(status: number, location: string): Promise<LocalServer> {
  return serve((request, response) => {
    if (request.url === "/from") response.writeHead(status, { location }).end("moved");
    else response.end("here");
  });
}

async function requestsAfter(status: number, command: Partial<RequestOptions>): Promise<Seen> {
  await using server = await serveRedirect(status, "/to?a=1");
  await fetchResponse({ url: `${server.url}/from`, ...command });
  expect(server.seen.map(({ path }) => path)).toEqual(["/from", "/to?a=1"]);
  return server.seen[1]!;
}

describe("a redirect", () => {
  const post = { method: "POST", body: { a: 1 }, headers: { "X-A": "kept", authorization: "kept too" } };

  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "DELETE", "GET"],
    [303, "HEAD", "HEAD"],
    [301, "PUT", "PUT"],
    [307, "POST", "POST"],
    [308, "POST", "POST"],
    [302, "GET", "GET"],
  ])("of %i makes %s a %s", async (status, method, then) => {
    expect((await requestsAfter(status, { ...post, method })).method).toBe(then);
  });

  it("that keeps the method keeps body and idempotency key (IDEM-4)", async () => {
    const seen = await requestsAfter(307, { ...post, token: "t" });
    expect(seen.body).toBe('{"a":1}');
    expect(seen.headers).toMatchObject({ "content-type": "application/json", "idempotency-key": "t", "x-a": "kept" });
  });

  it("that becomes a GET drops the body and its headers", async () => {
    const { body, headers } = await requestsAfter(303, post);
    expect(body).toBe("");
    expect(Object.keys(headers).toSorted()).toEqual(
      [
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "host",
        "traceparent",
        "user-agent",
        "x-a",
      ].toSorted(),
    );
  });

  it("within an origin keeps the headers of the step", async () => {
    expect((await requestsAfter(302, post)).headers).toMatchObject({ "x-a": "kept", authorization: "kept too" });
  });

  it("is logged like any other request", async () => {
    await using server = await serveRedirect(302, "/to?token=t");
    const { log } = await sendRequest({ url: `${server.url}/from` });
    expect(log).toBe(`log: GET ${server.url}/from -> 302\nlog: GET ${server.url}/to -> 200\n`);
  });
});

describe("a redirect to another origin", () => {
  const headers = {
    authorization: "Bearer secret",
    cookie: "session=secret",
    "proxy-authorization": "secret",
    "x-api-key": "secret",
    accept: "text/plain",
    "accept-language": "de",
    "user-agent": "me",
    "content-type": "text/csv",
  };

  it("DATA-9 forwards only headers that describe what is wanted", async () => {
    await using there = await serve((_, response) => response.end("there"));
    await using here = await serveRedirect(307, `${there.url}/to`);
    await fetchResponse({ url: `${here.url}/from`, method: "POST", body: "a,b", headers });
    const { body, headers: sent } = there.seen[0]!;
    expect(body).toBe("a,b");
    expect(JSON.stringify(sent)).not.toContain("secret");
    expect(sent).toMatchObject({
      accept: "text/plain",
      "accept-language": "de",
      "user-agent": "me",
      "content-type": "text/csv",
    });
    expect(sent).not.toHaveProperty("idempotency-key");
  });

  it("DATA-9 and back does not restore the dropped headers", async () => {
    await using away = await serve((_, response) => response.writeHead(302, { location: home }).end());
    await using here = await serveRedirect(302, away.url);
    const home = `${here.url}/to`;
    await fetchResponse({ url: `${here.url}/from`, headers });
    expect(here.seen.map(({ headers: sent }) => sent.authorization)).toEqual(["Bearer secret", undefined]);
  });
});

describe("a redirect that is not followed", () => {
  it.each([
    ["loopback", (port: number) => `http://127.0.0.2:${port}/`],
    ["loopback in numbers", (port: number) => `http://2130706434:${port}/`],
    ["loopback as version 6", (port: number) => `http://[::ffff:127.0.0.2]:${port}/`],
  ])("leads to %s, which was not allowed", async (_, to) => {
    await using inside = await serve((__, response) => response.end("inside"), "127.0.0.2");
    await using server = await serveRedirect(302, to(inside.port));
    const failure = await fetchFailure({ url: `${server.url}/from` });
    expect(failure).toMatchObject({ class: "permanent", code: "HTTP_ADDRESS_REFUSED" });
    expect(inside.reached).toEqual([]);
  });

  it.each([
    ["another scheme", "file:///etc/passwd", "HTTP_URL_INVALID"],
    ["a user", "http://user:secret@127.0.0.1/", "HTTP_URL_INVALID"],
    ["nowhere", "http://[", "HTTP_URL_INVALID"],
  ])("leads to %s", async (_, location, code) => {
    await using server = await serveRedirect(302, location);
    const failure = await fetchFailure({ url: `${server.url}/from` });
    expect(failure).toMatchObject({ class: "permanent", code });
    expect(failure.message).not.toContain("secret");
  });

  it("is the fourth", async () => {
    await using server = await serve((request, response) => {
      response.writeHead(302, { location: `/${Number(request.url!.slice(1)) + 1}` }).end();
    });
    const failure = await fetchFailure({ url: `${server.url}/0` });
    expect(failure).toMatchObject({ class: "permanent", code: "HTTP_REDIRECTS" });
    expect(failure.message).toMatch(/redirected more than 3 times$/u);
    expect(server.seen.map(({ path }) => path)).toEqual(["/0", "/1", "/2", "/3"]);
  });

  it("is the first if redirects are disabled", async () => {
    await using server = await serveRedirect(302, "/from");
    const failure = await fetchFailure({ url: `${server.url}/from` }, { limits: { redirects: 0 } });
    expect(failure.code).toBe("HTTP_REDIRECTS");
    expect(server.seen.length).toBe(1);
  });
});
