// Error responses and missing responses.

import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { epochMs, type EpochMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import { CERTIFICATE } from "./certificate.ts";
import { serve, serveBytes, serveSecurely, type LocalServer } from "./local-server.ts";
import { sendRequest, fetchBody, fetchFailure } from "./recording-attempt.ts";

function serveStatus(status: number, body = "", headers: Record<string, string> = {}): Promise<LocalServer> {
  return serve((_, response) => response.writeHead(status, headers).end(body));
}

describe("an error status", () => {
  it.each([
    [400, "permanent"],
    [401, "permanent"],
    [404, "permanent"],
    [408, "transient"],
    [409, "permanent"],
    [425, "transient"],
    [429, "transient"],
    [500, "transient"],
    [503, "transient"],
    [599, "transient"],
  ])("FAIL-1 of %i is a failure that is %s", async (status, kind) => {
    await using server = await serveStatus(status);
    expect(await fetchFailure({ url: server.url })).toMatchObject({ class: kind, code: "HTTP_STATUS", status });
  });

  it("names the request without its query, and quotes the server", async () => {
    await using server = await serveStatus(404, "there is\n\tno \u001b[31msuch\u001b[0m thing", {
      "content-type": "text/plain",
    });
    const { message } = await fetchFailure({ url: `${server.url}/things?key=k` });
    expect(message).toBe(`GET ${server.url}/things was answered with 404: Not Found: there is no [31msuch [0m thing`);
  });

  it("quotes only the beginning", async () => {
    await using server = await serveStatus(500, "word ".repeat(100_000), { "content-type": "text/plain" });
    const { message } = await fetchFailure({ url: server.url });
    expect(message).toMatch(/: Internal Server Error: (?:word )+word…$/u);
    expect(message.length).toBeLessThan(420);
  });

  it("quotes no binary data", async () => {
    await using server = await serveStatus(500, "\0\0\0", { "content-type": "image/png" });
    expect((await fetchFailure({ url: server.url })).message).toMatch(/with 500: Internal Server Error$/u);
  });

  it("counts even if the body never ends", async () => {
    await using server = await serve((_, response) =>
      response.writeHead(502, { "content-type": "text/plain" }).write("half"),
    );
    const failure = await fetchFailure({ url: server.url }, { limits: { idleMs: 30 } });
    expect(failure).toMatchObject({ class: "transient", code: "HTTP_STATUS", status: 502 });
  });

  it("DATA-9 quotes no part of a secret, wherever the excerpt ends", async () => {
    const secret = 'corr,ect "horse" staple';
    for (const before of [0, 285, 290, 295, 299]) {
      await using server = await serveStatus(
        500,
        `${"x ".repeat(before).slice(0, before)} ${secret} more ${"y ".repeat(200)}`,
      );
      const { message } = await fetchFailure({ url: server.url, secrets: { phrase: secret } });
      expect(message).not.toMatch(/corr|ect|horse|staple/u);
    }
  });
});

describe("problem details", () => {
  const problem = (details: unknown): Promise<LocalServer> =>
    serveStatus(422, typeof details === "string" ? details : JSON.stringify(details), {
      "content-type": "application/problem+json",
    });

  it.each([
    [
      { title: "Out of credit", detail: "30 short", type: "https://e.com/credit" },
      "Out of credit: 30 short (https://e.com/credit)",
    ],
    [{ title: "Out of credit", type: "about:blank" }, "Out of credit"],
    [{ detail: "30 short", status: 422, balance: 30 }, "30 short"],
    ["not { json", "not { json"],
    [[1, 2], "[1,2]"],
    [{ title: 5, detail: null }, ""],
  ])("%j are told as people read them", async (details, said) => {
    await using server = await problem(details);
    const { message } = await fetchFailure({ url: server.url });
    expect(message.split("Unprocessable Entity")[1]).toBe(said === "" ? "" : `: ${said}`);
  });
});

/** A fixed time for tests with dates. */
class Noon extends SystemEnvironment {
  override now(): EpochMs {
    return epochMs(Date.UTC(2026, 0, 1, 12, 0, 0));
  }
}

describe("Retry-After", () => {
  it.each([
    ["120", 120_000],
    ["0", 0],
    ["999999999999", 31_536_000_000],
    ["Thu, 01 Jan 2026 12:00:30 GMT", 30_000],
    ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
    ["Thursday, 01-Jan-26 12:01:00 GMT", 60_000],
    ["soon", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["", undefined],
  ])("FAIL-3 of %j is understood", async (header, expected) => {
    await using server = await serveStatus(503, "", { "retry-after": header });
    const failure = await fetchFailure({ url: server.url }, { clock: new Noon() });
    expect(failure.retryAfter).toBe(expected);
  });
});

describe("no response", () => {
  it("FAIL-1 from a closed port is transient, with the code of its cause", async () => {
    const { port } = await serveStatus(200).then(async (server) => (await server[Symbol.asyncDispose](), server));
    const { outcome, log } = await sendRequest({ url: `http://127.0.0.1:${port}/x?q=1` });
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: { class: "transient", code: "HTTP_FAILED", cause: { class: "transient", code: "ECONNREFUSED" } },
    });
    expect(log).toBe(`log: GET http://127.0.0.1:${port}/x -> ECONNREFUSED\n`);
  });

  it("FAIL-1 from a host that does not exist is transient", async () => {
    const lookup = (): Promise<never> =>
      Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND nowhere"), { code: "ENOTFOUND" }));
    const failure = await fetchFailure({ url: "http://nowhere/" }, { lookup });
    expect(failure).toMatchObject({ class: "transient", code: "HTTP_FAILED", cause: { code: "ENOTFOUND" } });
    expect(failure.message).toBe("GET http://nowhere/ got no response: getaddrinfo ENOTFOUND nowhere");
    expect(await fetchFailure({ url: "http://nowhere/" }, { lookup: () => Promise.resolve([]) })).toMatchObject({
      cause: { code: "ENOTFOUND" },
    });
  });

  it.each([
    ["a head that never comes", undefined],
    ["a head that stops", "HTTP/1.1 200 OK\r\nx-a: "],
  ])("FAIL-1 but %s is transient", async (_, bytes) => {
    await using server = await serveBytes(bytes);
    const failure = await fetchFailure({ url: server.url }, { limits: { headersMs: 40 } });
    expect(failure).toMatchObject({ class: "transient", code: "HTTP_FAILED" });
    expect(failure.cause?.code).toMatch(bytes === undefined ? /^UND_ERR_HEADERS_TIMEOUT$/u : /^(?:UND_ERR|HPE)_/u);
  });

  it("FAIL-1 because the name server never answers is transient", async () => {
    const lookup = (): Promise<never> => new Promise(() => {});
    const failure = await fetchFailure({ url: "http://slow/" }, { lookup, limits: { headersMs: 30 } });
    expect(failure).toMatchObject({ class: "transient", cause: { code: "UND_ERR_CONNECT_TIMEOUT" } });
  });

  it("FAIL-1 because the connection is closed at once is transient, and is not repeated", async () => {
    await using server = await serveBytes("");
    expect(await fetchFailure({ url: server.url })).toMatchObject({ class: "transient", code: "HTTP_FAILED" });
    expect(server.reached.length).toBe(1);
  });

  it("FAIL-1 because the server does not speak HTTP is transient", async () => {
    await using server = await serveBytes("SSH-2.0-OpenSSH_9\r\n");
    expect(await fetchFailure({ url: server.url })).toMatchObject({ class: "transient", code: "HTTP_FAILED" });
  });

  it("FAIL-1 because the headers never end is permanent, and they are not kept in memory", async () => {
    await using server = await serveBytes(`HTTP/1.1 200 OK\r\n${`x-filler: ${"a".repeat(1000)}\r\n`.repeat(1000)}`);
    const failure = await fetchFailure({ url: server.url });
    expect(failure).toMatchObject({ class: "permanent", cause: { code: "UND_ERR_HEADERS_OVERFLOW" } });
  });
});

describe("an HTTPS response", () => {
  const lookup = (): Promise<{ address: string; family: number }[]> =>
    Promise.resolve([{ address: "127.0.0.1", family: 4 }]);

  it("FAIL-1 with a self-signed certificate is a permanent failure", async () => {
    await using server = await serveSecurely((_, response) => response.end("no"));
    const failure = await fetchFailure({ url: `https://localhost:${server.port}/` }, { lookup });
    expect(failure).toMatchObject({ class: "permanent", code: "HTTP_FAILED", cause: { class: "permanent" } });
    expect(failure.cause?.code).toMatch(/CERT/u);
    expect(server.seen).toEqual([]);
  });

  it("is accepted only from the host that the certificate names, and redirects only to HTTPS", async () => {
    const trusted = getCACertificates();
    setDefaultCACertificates([CERTIFICATE]);
    try {
      await using server = await serveSecurely((request, response) => {
        if (request.url === "/down") response.writeHead(302, { location: "http://localhost/" });
        response.end(request.url === "/name" ? (request.socket as TLSSocket).servername : "yes");
      });
      expect(await fetchBody({ url: `https://localhost:${server.port}/` }, { lookup })).toBe("yes");
      expect(await fetchBody({ url: `https://127.0.0.1:${server.port}/` }, { lookup })).toBe("yes");
      expect(await fetchBody({ url: `https://localhost.:${server.port}/name` }, { lookup })).toBe("localhost");
      const other = await fetchFailure({ url: `https://other:${server.port}/` }, { lookup });
      expect(other).toMatchObject({ class: "permanent", cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" } });
      const down = await fetchFailure({ url: `https://localhost:${server.port}/down` }, { lookup });
      expect(down).toMatchObject({ class: "permanent", code: "HTTP_REDIRECTS" });
      expect(down.message).toContain("not encrypted");
    } finally {
      setDefaultCACertificates(trusted);
    }
  });
});
