// The requests that an `http` step sends or refuses to send.

import type { Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { serve, type LocalServer, type Seen } from "./local-server.ts";
import { sendRequest, fetchFailure, type RequestOptions } from "./recording-attempt.ts";

const serveNothing = (): Promise<LocalServer> => serve((_, response) => response.end());

/** The request as a server receives it. */
async function receivedRequest(command: Omit<RequestOptions, "url">): Promise<Seen> {
  await using server = await serveNothing();
  await sendRequest({ url: `${server.url}/p?q=1#f`, ...command });
  return server.seen[0]!;
}

describe("a request", () => {
  it("has the standard headers and a connection of its own", async () => {
    const { method, path, headers, body } = await receivedRequest({});
    expect({ method, path, body }).toEqual({ method: "GET", path: "/p?q=1", body: "" });
    const { host, ...others } = headers;
    expect(host).toMatch(/^127\.0\.0\.1:\d+$/u);
    expect(others).toEqual({
      "user-agent": "segno",
      accept: "application/json, text/*;q=0.9, */*;q=0.8",
      "accept-encoding": "identity",
      connection: "close",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    });
  });

  it("has the headers of its step, scalars as text, in place of the standard ones", async () => {
    const { headers } = await receivedRequest({ headers: { Accept: "text/csv", "X-Count": 3, "x-flag": true } });
    expect(headers).toMatchObject({ accept: "text/csv", "x-count": "3", "x-flag": "true" });
  });

  it.each<[string, Json, string, string]>([
    ["an object", { a: [1] }, '{"a":[1]}', "application/json"],
    ["a list", [1], "[1]", "application/json"],
    ["a number", 0, "0", "application/json"],
    ["false", false, "false", "application/json"],
    ["text", "schön", "schön", "text/plain;charset=utf-8"],
    ["empty text", "", "", "text/plain;charset=utf-8"],
  ])("sends %s as it should be read", async (_, body, sent, type) => {
    const seen = await receivedRequest({ method: "PUT", body });
    expect(seen.body).toBe(sent);
    expect(seen.headers).toMatchObject({ "content-type": type, "content-length": String(Buffer.byteLength(sent)) });
  });

  it("keeps the content type of its step", async () => {
    const { headers } = await receivedRequest({
      method: "POST",
      body: "<a/>",
      headers: { "Content-Type": "text/xml" },
    });
    expect(headers["content-type"]).toBe("text/xml");
  });

  it("without a body, or with null, has no content type", async () => {
    expect((await receivedRequest({ method: "POST", body: null })).headers).not.toHaveProperty("content-type");
    expect((await receivedRequest({ method: "POST" })).headers["content-length"]).toBe("0");
  });

  it("ignores the proxies of the environment", async () => {
    const before = process.env["http_proxy"];
    process.env["http_proxy"] = "http://127.0.0.1:1";
    try {
      expect((await receivedRequest({})).method).toBe("GET");
    } finally {
      if (before === undefined) delete process.env["http_proxy"];
      else process.env["http_proxy"] = before;
    }
  });
});

describe("the idempotency key of a request", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE"])(
    "IDEM-4 of %s is the token of the attempt, the same each time",
    async (method) => {
      for (const command of [
        { method, token: "abc" },
        { method, token: "abc" },
      ])
        expect((await receivedRequest(command)).headers["idempotency-key"]).toBe("abc");
    },
  );

  it.each(["GET", "HEAD", "OPTIONS"])("IDEM-4 is not sent for %s, which has no side effects", async (method) => {
    expect((await receivedRequest({ method })).headers).not.toHaveProperty("idempotency-key");
  });

  it("IDEM-4 is the step's own if it sets one", async () => {
    const { headers } = await receivedRequest({ method: "POST", headers: { "Idempotency-Key": "mine" } });
    expect(headers["idempotency-key"]).toBe("mine");
  });
});

const REFUSED: readonly (readonly [string, Partial<RequestOptions>, RegExp])[] = [
  ["a line break in a header", { headers: { "x-a": "secret\r\nx-b: 1" } }, /`x-a` holds a line break/u],
  ["a zero in a header", { headers: { "x-a": "secret\0" } }, /`x-a` holds a line break or another character/u],
  ["what is no byte in a header", { headers: { "x-a": "secret€" } }, /`x-a` holds a line break or another character/u],
  ["a header that is null", { headers: { "x-a": null } }, /`x-a` is null; use text/u],
  ["a header that is a list", { headers: { "x-a": ["secret"] } }, /`x-a` is a list/u],
  ["a name with a space", { headers: { "x a": "secret" } }, /"x a" is not a valid header name/u],
  ["a name with a line break", { headers: { "x\r\na": "secret" } }, /is not a valid header name/u],
  ["an empty name", { headers: { "": "secret" } }, /"" is not a valid header name/u],
  ["two spellings of one name", { headers: { "X-A": "secret", "x-a": "b" } }, /`x-a` is given twice/u],
  ["Host", { headers: { Host: "secret.example.com" } }, /a step cannot set the header `host`/u],
  ["Content-Length", { headers: { "Content-Length": 5 } }, /a step cannot set the header `content-length`/u],
  ["Transfer-Encoding", { headers: { "transfer-encoding": "chunked" } }, /a step cannot set the header/u],
  ["Connection", { headers: { connection: "keep-alive" } }, /a step cannot set the header/u],
  ["Upgrade", { headers: { upgrade: "h2c" } }, /a step cannot set the header/u],
  ["Expect", { headers: { expect: "100-continue" } }, /a step cannot set the header/u],
  ["CONNECT", { method: "connect" }, /"CONNECT" cannot be sent/u],
  ["a method with a line break", { method: "GET / HTTP/1.1\r\nx:" }, /cannot be sent/u],
];

describe("a request that cannot be sent", () => {
  it.each(REFUSED)("because of %s fails permanently, unsent, and reveals no value", async (_, command, message) => {
    await using server = await serveNothing();
    const failure = await fetchFailure({ url: server.url, ...command });
    expect(failure).toEqual({
      class: "permanent",
      code: "HTTP_FAILED",
      message: expect.stringMatching(message) as string,
    });
    expect(failure.message).not.toContain("secret");
    expect(server.reached).toEqual([]);
  });

  it.each<[string, Json]>([
    ["no URL", "example.com/secret"],
    ["empty", ""],
    ["null", null],
    ["an object", { secret: 1 }],
    ["a file", "file:///secret"],
    ["data", "data:text/plain,secret"],
    ["of another scheme", "ftp://secret.example.com/"],
    ["with a user name", "http://secret@127.0.0.1/"],
    ["with a password", "http://:secret@127.0.0.1/"],
    ["far too long", `http://127.0.0.1/${"secret".repeat(2000)}`],
    ["with a port that is none", "http://127.0.0.1:99999/secret"],
  ])("because its URL is %s fails for good, and shows nothing of it", async (_, url) => {
    const failure = await fetchFailure({ url });
    expect(failure).toMatchObject({ class: "permanent", code: "HTTP_URL_INVALID" });
    expect(failure.message).toMatch(/^the URL /u);
    expect(failure.message).not.toContain("secret");
  });
});
