// Clients that are slow, broken or malicious, on raw sockets: each gets a problem document or a closed connection, nothing starts,
// and the server answers others meanwhile.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { ServerFixture } from "./server-fixture.ts";

const START = '{"workflow":"hello","id":"raw","input":{"name":"Ada"}}';

function open({ server }: ServerFixture): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on("error", () => undefined);
  return socket;
}

/** Sends bytes and reads until the server closes the connection. */
async function exchange(fixture: ServerFixture, ...parts: readonly string[]): Promise<string> {
  const socket = open(fixture);
  for (const part of parts) socket.write(part);
  return rest(socket);
}

async function rest(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  if (!socket.closed) await Promise.race([once(socket, "end"), once(socket, "close")]);
  socket.destroy();
  return text;
}

function post(fixture: ServerFixture, headers: readonly string[], body: string): string {
  const { host } = new URL(fixture.server.url);
  const all = [
    "POST /v1/executions HTTP/1.1",
    `Host: ${host}`,
    `Authorization: Bearer ${fixture.token}`,
    "Content-Type: application/json",
    "Connection: close",
    ...headers,
  ];
  return `${all.join("\r\n")}\r\n\r\n${body}`;
}

/** The problem document of the only answer. */
function problemOf(text: string): { readonly status: string; readonly code: string } {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(text.match(/HTTP\/1\.1 /gu), text).toHaveLength(1);
  expect(head).toMatch(/content-type: application\/problem\+json/iu);
  const { code } = JSON.parse(body) as { code: string };
  return { status: head.split(" ")[1]!, code };
}

async function expectUnharmed(fixture: ServerFixture): Promise<void> {
  expect((await fixture.call("/v1/executions")).json["executions"]).toEqual([]);
}

const length = Buffer.byteLength(START);
const FRAMING: readonly (readonly [string, readonly string[], string])[] = [
  [
    "both lengths, which a proxy and the server could read differently",
    [`Content-Length: ${length}`, "Transfer-Encoding: chunked"],
    `0\r\n\r\n${START}`,
  ],
  ["two lengths", [`Content-Length: ${length}`, "Content-Length: 5"], START],
  ["a negative length", ["Content-Length: -5"], START],
  ["a length that is no number", ["Content-Length: 0x10"], START],
  ["a length with a sign", [`Content-Length: +${length}`], START],
  ["a chunk whose size is no number", ["Transfer-Encoding: chunked"], `zz\r\n${START}\r\n0\r\n\r\n`],
  ["a chunk that is longer than its size", ["Transfer-Encoding: chunked"], `5\r\n${START}\r\n0\r\n\r\n`],
  ["another encoding than chunked", ["Transfer-Encoding: xchunked"], START],
  ["chunked before another encoding", ["Transfer-Encoding: chunked, identity"], `0\r\n\r\n${START}`],
  ["a header with a line break of its own", [`Content-Length: ${length}`, "X-A: b\nX-C: d"], START],
  ["a space before the colon", [`Content-Length : ${length}`], START],
  ["a header name with a null byte", [`Content-Length: ${length}`, "X-\0A: b"], START],
];

describe("a request with bad framing", () => {
  it.each(FRAMING)("HTTP-6 that has %s is refused, and starts nothing", async (_, headers, body) => {
    await using fixture = await ServerFixture.open();
    expect(problemOf(await exchange(fixture, post(fixture, headers, body)))).toEqual({
      status: "400",
      code: "REQUEST_INVALID",
    });
    await expectUnharmed(fixture);
  });

  it.each([
    "\0\0\0\0\r\n\r\n",
    "GET\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01",
    "PRI * HTTP/2.0\r\n\r\n",
  ])("HTTP-6 that is %j is refused", async (text) => {
    await using fixture = await ServerFixture.open();
    expect(problemOf(await exchange(fixture, `${text}${" ".repeat(10)}\r\n\r\n`)).status).toBe("400");
    await expectUnharmed(fixture);
  });

  it("HTTP-6 HEADERS_TOO_LARGE that has too long headers is refused", async () => {
    await using fixture = await ServerFixture.open();
    const text = await exchange(fixture, post(fixture, [`X-Long: ${"x".repeat(20_000)}`, "Content-Length: 0"], ""));
    expect(problemOf(text)).toEqual({ status: "431", code: "HEADERS_TOO_LARGE" });
  });

  it("HTTP-7 that has no Host, or two, is refused", async () => {
    await using fixture = await ServerFixture.open();
    const { host } = new URL(fixture.server.url);
    const get = (...headers: readonly string[]): string =>
      `${["GET /v1/workflows HTTP/1.1", `Authorization: Bearer ${fixture.token}`, "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;
    expect(problemOf(await exchange(fixture, get()))).toEqual({ status: "421", code: "HOST_REFUSED" });
    const two = await exchange(fixture, get(`Host: ${host}`, "Host: evil.example.com"));
    expect(problemOf(two)).toEqual({ status: "400", code: "REQUEST_INVALID" });
    expect(await exchange(fixture, get(`Host: ${host}`))).toMatch(/^HTTP\/1\.1 200/u);
    const absolute = get(`Host: ${host}`).replace("/v1/workflows", "http://evil.example.com/v1/workflows");
    expect(problemOf(await exchange(fixture, absolute))).toEqual({ status: "400", code: "REQUEST_INVALID" });
  });
});

describe("a slow request", () => {
  it("REQUEST_TIMEOUT is cut off when its headers, or its body, do not arrive, and others are answered", async () => {
    await using fixture = await ServerFixture.open({ limits: { headersMs: 300, requestMs: 600 } });
    const headers = exchange(fixture, "POST /v1/executions HT");
    const body = exchange(fixture, post(fixture, ["Content-Length: 1000"], START));
    const nothing = exchange(fixture);
    expect((await fixture.call("/v1/workflows")).status).toBe(200);
    expect(problemOf(await headers)).toEqual({ status: "408", code: "REQUEST_TIMEOUT" });
    expect(problemOf(await body)).toEqual({ status: "408", code: "REQUEST_TIMEOUT" });
    // A connection without a byte is closed, too.
    expect(await nothing).toMatch(/^$|^HTTP\/1\.1 408/u);
    await expectUnharmed(fixture);
  });

  it("HTTP-6 whose client leaves in the middle of the body starts nothing, and is no fault of the server", async () => {
    const faults: unknown[] = [];
    await using fixture = await ServerFixture.open({ onFault: (error) => faults.push(error) });
    for (let i = 0; i < 20; i++) {
      const socket = open(fixture);
      socket.write(post(fixture, [`Content-Length: ${length}`], START.slice(0, -3)));
      await once(socket, "connect");
      socket.resetAndDestroy();
    }
    await expectUnharmed(fixture);
    expect(faults).toEqual([]);
  });
});

describe("a connection", () => {
  it("HTTP-1 that sends many requests at once gets the answers in their order", async () => {
    await using fixture = await ServerFixture.open();
    const { host } = new URL(fixture.server.url);
    const get = (path: string, more = ""): string =>
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${fixture.token}\r\n${more}\r\n`;
    const paths = Array.from({ length: 50 }, (_, index) =>
      index % 3 === 0 ? `/v1/executions/none-${index}` : "/healthz",
    );
    const text = await exchange(
      fixture,
      paths.map((path) => get(path)).join(""),
      get("/v1/workflows", "Connection: close\r\n"),
    );
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status]) => status);
    expect(statuses).toEqual([...paths.map((path) => (path === "/healthz" ? "200" : "404")), "200"]);
    const ids = [...text.matchAll(/there is no execution none-(\d+)/gu)].map(([, id]) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it("HTTP-7 that hides a request in the body of another gets no answer to the hidden one", async () => {
    await using fixture = await ServerFixture.open();
    const { host } = new URL(fixture.server.url);
    const hidden = `POST /v1/executions HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${length}\r\n\r\n${START}`;
    const text = await exchange(fixture, post(fixture, [`Content-Length: ${Buffer.byteLength(hidden)}`], hidden));
    expect(problemOf(text).status).toBe("400");
    await expectUnharmed(fixture);
  });

  it("HTTP-1 that is half-closed after the request still gets the answer", async () => {
    await using fixture = await ServerFixture.open();
    const socket = open(fixture);
    socket.end(post(fixture, ["Prefer: wait=30", `Content-Length: ${length}`], START));
    const text = await rest(socket);
    // Node ends the connection of a client that has ended its side; the execution is durable either way.
    if (text !== "") expect(text).toMatch(/^HTTP\/1\.1 20[02]/u);
    await expect.poll(async () => (await fixture.call("/v1/executions/raw")).json["status"]).toBe("completed");
  });

  it("HTTP-7 is not refused although 1,000 others are open and send nothing, and all end with the server", async () => {
    const fixture = await ServerFixture.open({ limits: { closeMs: 500 } });
    const idle = Array.from({ length: 1000 }, () => open(fixture));
    await Promise.all(idle.map((socket) => once(socket, "connect")));
    const ended = idle.map((socket) => rest(socket));
    expect((await fixture.post("/v1/executions", { workflow: "asks" })).status).toBe(202);
    await fixture[Symbol.asyncDispose]();
    expect((await Promise.all(ended)).every((text) => text === "" || text.startsWith("HTTP/1.1 408"))).toBe(true);
  });
});
