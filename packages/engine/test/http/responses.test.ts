// The output of an `http` step for a response.

import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fetchResponse, sendRequest, fetchBody, fetchFailure } from "./recording-attempt.ts";
import { serve, serveBytes, type LocalServer } from "./local-server.ts";

/** A server that responds with these bytes and this content type. */
function serveBody(
  body: string | Uint8Array,
  contentType?: string,
  more: Record<string, string> = {},
): Promise<LocalServer> {
  return serve((_, response) => {
    response
      .writeHead(200, { ...(contentType === undefined ? {} : { "content-type": contentType }), ...more })
      .end(body);
  });
}

describe("a response", () => {
  it("is status, headers in lower case, and body", async () => {
    await using server = await serve((_, response) => {
      response.sendDate = false;
      response.setHeader("X-Two", ["a", "b"]);
      response.writeHead(201, { "Content-Type": "application/json", "Content-Length": 12 }).end('{"made":"a"}');
    });
    expect(await fetchResponse({ url: `${server.url}/things`, method: "POST" })).toEqual({
      status: 201,
      headers: { "content-type": "application/json", "content-length": "12", "x-two": "a, b", connection: "close" },
      body: { made: "a" },
    });
  });

  it("DATA-9 omits cookies", async () => {
    await using server = await serveBody("ok", "text/plain", { "set-cookie": "session=topsecret" });
    expect(JSON.stringify(await fetchResponse({ url: server.url }))).not.toContain("topsecret");
  });

  it("DATA-9 is logged in a line without query, headers and body", async () => {
    await using server = await serveBody("the body", "text/plain");
    const { log } = await sendRequest({
      url: `${server.url}/a?key=the-query`,
      headers: { authorization: "the-header" },
    });
    expect(log).toBe(`log: GET ${server.url}/a -> 200\n`);
  });

  it("with a redirect status and no location is an ordinary response", async () => {
    await using server = await serve((_, response) => response.writeHead(302).end());
    expect(await fetchResponse({ url: server.url })).toMatchObject({ status: 302, body: null });
  });
});

const latin = Buffer.from("schön", "latin1");

describe("a body", () => {
  it.each([
    ["JSON", '{"a":[1,"ä"]}', "application/json", { a: [1, "ä"] }],
    ["JSON of some kind", "[1]", "application/vnd.api+json; charset=utf-8", [1]],
    ["JSON after a byte order mark", "\u{feff}1", "application/json", 1],
    ["no JSON at all", "", "application/json", null],
    ["text", "schön", "text/plain", "schön"],
    ["text that is said to be UTF-8", "schön", 'text/html; charset="UTF-8"', "schön"],
    ["text in Latin-1", latin, "text/plain; charset=ISO-8859-1", "schön"],
    ["text that is not what it says", latin, "text/plain", { base64: latin.toString("base64") }],
    ["text in another charset", "abc", "text/plain; charset=utf-16", { base64: "YWJj" }],
    ["XML", "<a/>", "application/atom+xml", "<a/>"],
    ["empty text", "", "text/plain", ""],
    ["text without a type", "abc", undefined, "abc"],
    ["bytes without a type", latin, undefined, { base64: latin.toString("base64") }],
    ["nothing without a type", "", undefined, null],
    ["bytes", Buffer.from([0, 255]), "application/octet-stream", { base64: "AP8=" }],
  ])("of %s is what its content type says", async (_, body, type, expected) => {
    await using server = await serveBody(body, type);
    expect(await fetchBody({ url: server.url })).toEqual(expected);
  });

  it.each([
    ["204", 204, "GET"],
    ["304", 304, "GET"],
    ["the answer to HEAD", 200, "HEAD"],
  ])("of %s is null", async (_, status, method) => {
    await using server = await serve((__, response) =>
      response.writeHead(status, { "content-type": "text/plain" }).end(),
    );
    expect(await fetchResponse({ url: server.url, method })).toMatchObject({ status, body: null });
  });

  it.each([
    ["gzip", gzipSync("packed")],
    ["deflate", deflateSync("packed")],
    ["br", brotliCompressSync("packed")],
  ])("that comes as %s, though nobody asked for it, is unpacked", async (coding, bytes) => {
    await using server = await serveBody(bytes, "text/plain", { "content-encoding": coding });
    expect(await fetchBody({ url: server.url })).toBe("packed");
    expect(server.seen[0]!.headers["accept-encoding"]).toBe("identity");
  });
});

describe("an invalid body", () => {
  it.each([
    ["invalid JSON", "{oops", "application/json", /is declared as JSON, but is not valid JSON/u],
    ["JSON that is not UTF-8", latin, "application/json", /is not UTF-8/u],
    ["JSON that is too deep", "[".repeat(65) + "]".repeat(65), "application/json", /deeper than 64 levels/u],
    ["JSON that is far too deep", "[".repeat(4_000_000), "application/json", /deeper than 64 levels/u],
  ])("of %s is a permanent failure, and its message does not quote it", async (_, body, type, message) => {
    await using server = await serveBody(body, type);
    const failure = await fetchFailure({ url: server.url });
    expect(failure).toEqual({
      class: "permanent",
      code: "HTTP_FAILED",
      message: expect.stringMatching(message) as string,
    });
    expect(failure.message).not.toContain("oops");
  });

  it("of the maximum depth is accepted, and brackets in strings are not counted", async () => {
    const deep = `${"[".repeat(64)}"${"[".repeat(100)}\\"["${"]".repeat(64)}`;
    await using server = await serveBody(deep, "application/json");
    expect(JSON.stringify(await fetchBody({ url: server.url }))).toBe(deep);
  });

  it.each([
    ["gzip", Buffer.from("no gzip"), /declares the content coding gzip, but is not valid gzip/u],
    ["zstd", Buffer.from("anything"), /has the content coding "zstd"/u],
  ])("that is not valid %s is a permanent failure", async (coding, bytes, message) => {
    await using server = await serveBody(bytes, "text/plain", { "content-encoding": coding });
    const failure = await fetchFailure({ url: server.url });
    expect(failure).toMatchObject({ class: "permanent", code: "HTTP_FAILED" });
    expect(failure.message).toMatch(message);
  });

  it("with a key that names a prototype is ordinary data", async () => {
    await using server = await serveBody('{"__proto__":{"polluted":true}}', "application/json");
    const body = await fetchBody({ url: server.url });
    expect(Object.keys(body as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("FAIL-1 that breaks off is retryable", async () => {
    await using server = await serveBytes("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf of it");
    expect(await fetchFailure({ url: server.url })).toMatchObject({ class: "transient", code: "HTTP_FAILED" });
  });
});
