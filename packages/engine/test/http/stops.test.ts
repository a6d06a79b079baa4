// Stopping by signal, by force, by a limit, and by closing the runner. No socket is left open.

import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { epochMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { serve, serveBytes, type LocalServer } from "./local-server.ts";
import type { HttpOptions } from "../../src/runners/http/http-runner.ts";
import { fetchBody, fetchFailure, openRunner, start } from "./recording-attempt.ts";

const MEBIBYTE = Buffer.alloc(1_048_576, "a");

/** Sends this many mebibytes as fast as they are read; reports how many were. */
function streamBytes(response: ServerResponse, mebibytes: number, poured: { mebibytes: number }): void {
  const next = (): void => {
    while (poured.mebibytes < mebibytes && !response.destroyed) {
      poured.mebibytes++;
      if (!response.write(MEBIBYTE)) return void response.once("drain", next);
    }
    response.end();
  };
  next();
}

/** Starts a response and never ends it; resolves with the first request. */
async function serveHalf(): Promise<LocalServer & { readonly begun: Promise<void> }> {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const server = await serve((_, response) => {
    response.write("half");
    resolve();
  });
  return Object.assign(server, { begun });
}

async function untilClosed({ sockets }: LocalServer): Promise<void> {
  for (const socket of sockets) await new Promise((resolve) => socket.once("close", resolve));
}

describe("a response that is too large", () => {
  it("is not read to its end", async () => {
    const poured = { mebibytes: 0 };
    await using server = await serve((_, response) => streamBytes(response, 50, poured));
    expect(await fetchFailure({ url: server.url })).toEqual({
      class: "permanent",
      code: "HTTP_TOO_LARGE",
      message: `the response to GET ${server.url}/ has more than 5242880 bytes`,
    });
    await untilClosed(server);
    // Bytes in transit between two sockets come on top of those read.
    expect(poured.mebibytes).toBeLessThan(25);
  });

  it("is not read if its content length says so, unless it has no body", async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { "content-length": 50 * MEBIBYTE.length }).flushHeaders();
    });
    expect((await fetchFailure({ url: server.url })).code).toBe("HTTP_TOO_LARGE");
    await untilClosed(server);
    expect(await fetchBody({ url: server.url, method: "HEAD" })).toBeNull();
  });

  it("is not decompressed to its end", async () => {
    const packed = gzipSync(Buffer.alloc(50 * MEBIBYTE.length));
    await using server = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(packed),
    );
    expect((await fetchFailure({ url: server.url })).code).toBe("HTTP_TOO_LARGE");
  });

  it("is one byte above the limit", async () => {
    await using server = await serve((request, response) => response.end("a".repeat(Number(request.url!.slice(1)))));
    const limits = { bodyBytes: 100 };
    expect(await fetchBody({ url: `${server.url}/100` }, { limits })).toBe("a".repeat(100));
    expect((await fetchFailure({ url: `${server.url}/101` }, { limits })).code).toBe("HTTP_TOO_LARGE");
  });
});

describe("a slow response", () => {
  /** Sends a letter every few milliseconds. */
  const drip = (letters: number): Promise<LocalServer> =>
    serve((_, response) => {
      let left = letters;
      const timer = setInterval(() => (left-- > 0 ? response.write("a") : response.end()), 4);
      response.on("close", () => clearInterval(timer)).on("finish", () => clearInterval(timer));
    });

  it("is read as long as bytes arrive", async () => {
    await using server = await drip(10);
    expect(await fetchBody({ url: server.url }, { limits: { idleMs: 60_000 } })).toBe("aaaaaaaaaa");
  });

  it("FAIL-1 that stalls is a transient failure", async () => {
    await using server = await serveHalf();
    const failure = await fetchFailure({ url: server.url }, { limits: { idleMs: 30 } });
    expect(failure).toMatchObject({ class: "transient", code: "HTTP_FAILED", cause: { code: "UND_ERR_BODY_TIMEOUT" } });
  });

  it("CANCEL-1 that never ends is stopped by its signal", async () => {
    await using server = await drip(Number.POSITIVE_INFINITY);
    using runner = openRunner();
    const { attempt, running } = start(runner, { url: server.url });
    while (attempt.log === "") await new Promise(setImmediate);
    running.abort(false, "not needed any more");
    await attempt.whenExited;
    expect(attempt.calls).toMatchObject([{ failure: { class: "cancelled" } }, "exited"]);
    await untilClosed(server);
  });
});

describe("a signal", () => {
  it("CANCEL-1 in the middle of a response ends the attempt as cancelled, and its socket is closed", async () => {
    await using server = await serveHalf();
    using runner = openRunner();
    const { attempt, running } = start(runner, { url: server.url });
    await server.begun;
    running.abort(false, "not needed any more");
    await attempt.whenExited;
    const failure = { class: "cancelled", code: "AbortError", message: "not needed any more" };
    expect(attempt.calls).toMatchObject([{ kind: "failed", failure }, "exited"]);
    await untilClosed(server);
  });

  it("CANCEL-1 before the response headers ends the attempt", async () => {
    await using server = await serveBytes(undefined);
    using runner = openRunner();
    const { attempt, running } = start(runner, { url: server.url });
    while (server.reached.length === 0) await new Promise(setImmediate);
    running.abort(false, "stop");
    await attempt.whenExited;
    expect(attempt.calls).toMatchObject([{ failure: { class: "cancelled", message: "stop" } }, "exited"]);
    await untilClosed(server);
  });
});

describe("a signal between two phases", () => {
  it("CANCEL-1 during name resolution ends the attempt, and nothing is sent", async () => {
    await using server = await serve((_, response) => response.end());
    const { promise, resolve } = Promise.withResolvers<{ address: string; family: number }[]>();
    const asked = Promise.withResolvers<void>();
    using runner = openRunner({ lookup: () => (asked.resolve(), promise) });
    const { attempt, running } = start(runner, { url: `http://host:${server.port}/` });
    await asked.promise;
    running.abort(false, "stop");
    await attempt.whenExited;
    resolve([{ address: "127.0.0.1", family: 4 }]);
    await new Promise(setImmediate);
    expect(attempt.calls).toMatchObject([{ failure: { class: "cancelled" } }, "exited"]);
    expect(server.reached).toEqual([]);
  });

  it("CANCEL-1 that fired before, or an attempt that is no longer current, prevents the request", async () => {
    await using server = await serve((_, response) => response.end());
    using runner = openRunner();
    const early = start(runner, { url: server.url });
    early.running.abort(false, "stop");
    const unwanted = start(runner, { url: server.url, isWanted: false });
    await runner.idle();
    for (const { attempt } of [early, unwanted])
      expect(attempt.calls).toMatchObject([{ failure: { class: "cancelled" } }, "exited"]);
    expect(unwanted.attempt.calls).toMatchObject([
      { failure: { message: "the attempt was aborted before it began" } },
      {},
    ]);
    expect(server.reached).toEqual([]);
  });

  it("CANCEL-1 between two hops ends the attempt, and the second hop is not made", async () => {
    await using server = await serve((_, response) => response.writeHead(302, { location: "/to" }).end());
    using runner = openRunner();
    const { attempt, running } = start(runner, { url: `${server.url}/from` });
    attempt.writeStream = () => running.abort(false, "stop");
    await attempt.whenExited;
    expect(attempt.calls).toMatchObject([{ failure: { class: "cancelled" } }, "exited"]);
    expect(server.seen.map(({ path }) => path)).toEqual(["/from"]);
  });

  it("CANCEL-2 after a response changes nothing", async () => {
    await using server = await serve((_, response) => response.end("done"));
    using runner = openRunner();
    const { attempt, running } = start(runner, { url: server.url });
    await attempt.whenExited;
    running.abort(false, "too late");
    running.abort(true, "too late");
    expect(attempt.calls).toMatchObject([{ kind: "succeeded" }, "exited"]);
  });
});

describe("force", () => {
  it("CANCEL-2 abandons the attempt: it has no outcome, and exits when its socket is closed", async () => {
    await using server = await serveHalf();
    using runner = openRunner();
    const { attempt, running } = start(runner, { url: server.url });
    await server.begun;
    running.abort(true, "stop");
    await attempt.whenExited;
    expect(attempt.calls).toEqual(["exited"]);
    await untilClosed(server);
    await runner.idle();
  });

  it("CANCEL-2 after a signal only removes the outcome", async () => {
    await using server = await serveHalf();
    using runner = openRunner();
    const { attempt, running } = start(runner, { url: server.url });
    await server.begun;
    running.abort(false, "stop");
    running.abort(true, "stop");
    await attempt.whenExited;
    expect(attempt.calls).toEqual(["exited"]);
  });
});

describe("a runner", () => {
  it("closes running attempts by force, and leaves nothing open", async () => {
    await using server = await serveHalf();
    const runner = openRunner();
    const attempts = [0, 1, 2].map(() => start(runner, { url: server.url }).attempt);
    await server.begun;
    await runner.close();
    expect(attempts.map(({ calls }) => calls)).toEqual([["exited"], ["exited"], ["exited"]]);
    await untilClosed(server);
    expect(process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap")).toEqual([]);
  });

  it("is idle when nothing runs, and delays no commit", async () => {
    await using server = await serve((_, response) => response.end("done"));
    using runner = openRunner();
    await runner.idle();
    const { attempt } = start(runner, { url: server.url });
    expect(attempt.calls).toEqual([]);
    expect(runner.commitDelayTicks).toBe(0);
    await runner.idle();
    expect(attempt.calls).toMatchObject([{ kind: "succeeded" }, "exited"]);
  });

  it("sends many requests at once", async () => {
    await using server = await serve((_, response) => response.end("done"));
    using runner = openRunner();
    const attempts = Array.from({ length: 100 }, () => start(runner, { url: server.url }).attempt);
    await runner.idle();
    expect(attempts.every(({ calls }) => typeof calls[0] === "object" && calls[0].kind === "succeeded")).toBe(true);
  });

  it("continues when a log line cannot be stored, and reports it", async () => {
    await using server = await serve((_, response) => response.end("done"));
    const reported: unknown[] = [];
    using runner = openRunner({ report: (error) => reported.push(error) });
    const { attempt } = start(runner, { url: server.url });
    attempt.writeStream = () => {
      throw new Error("disk full");
    };
    await attempt.whenExited;
    expect(attempt.calls).toMatchObject([{ kind: "succeeded" }, "exited"]);
    expect(reported).toEqual([new Error("disk full")]);
  });
});

describe("a request that never ends", () => {
  /** A timer that the test fires. */
  function bell(): { readonly timer: HttpOptions["startTimer"]; readonly asked: number[]; ring: () => void } {
    const own = { asked: [] as number[], ring: (): void => undefined, timer: (): (() => void) => () => undefined };
    return Object.assign(own, {
      timer: (ms: number, ring: () => void) => {
        own.asked.push(ms);
        own.ring = ring;
        return () => undefined;
      },
    });
  }

  it("FAIL-4 fails after the total time, however often a byte arrives", async () => {
    await using server = await serveHalf();
    const clock = bell();
    using runner = openRunner({ startTimer: clock.timer });
    const { attempt } = start(runner, { url: server.url });
    await server.begun;
    clock.ring();
    await attempt.whenExited;
    expect(clock.asked).toEqual([300_000]);
    const message = "the response was not complete within 300 seconds";
    expect(attempt.calls[0]).toEqual({
      kind: "failed",
      failure: { class: "transient", code: "HTTP_TIMEOUT", message },
    });
    await untilClosed(server);
  });

  it("FAIL-4 fails also before its response, as when a server reads the body byte by byte", async () => {
    await using server = await serveBytes(undefined);
    const clock = bell();
    using runner = openRunner({ startTimer: clock.timer, limits: { totalMs: 5000 } });
    const { attempt } = start(runner, { url: server.url, method: "POST", body: "x".repeat(1_000_000) });
    while (server.sockets.size === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.ring();
    await attempt.whenExited;
    expect(clock.asked).toEqual([5000]);
    expect(attempt.calls[0]).toMatchObject({ failure: { code: "HTTP_TIMEOUT" } });
    await untilClosed(server);
  });

  it("FAIL-4 may take as long as its step's `timeout`, if it has one", async () => {
    await using server = await serve((_, response) => response.end("done"));
    const clock = bell();
    using runner = openRunner({ startTimer: clock.timer });
    const { attempt } = start(runner, { url: server.url, deadline: epochMs(Date.now() + 3_600_000) });
    await attempt.whenExited;
    expect(clock.asked).toEqual([]);
  });
});
