// Stopping: by a signal, by force, by a limit, and when the runner closes. Nothing is left open afterwards.

import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { epochMs } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { serve, serveBytes, type LocalServer } from "./local-server.ts";
import type { HttpOptions } from "../../src/runners/http/http-runner.ts";
import { bodyOf, failureOf, openRunner, start } from "./probe.ts";

const MEBIBYTE = Buffer.alloc(1_048_576, "a");

/** As many mebibytes, as fast as they are taken; tells how many were. */
function pour(response: ServerResponse, mebibytes: number, poured: { mebibytes: number }): void {
  const next = (): void => {
    while (poured.mebibytes < mebibytes && !response.destroyed) {
      poured.mebibytes++;
      if (!response.write(MEBIBYTE)) return void response.once("drain", next);
    }
    response.end();
  };
  next();
}

/** Begins an answer and never ends it; resolves with the first one who asks. */
async function serveHalf(): Promise<LocalServer & { readonly begun: Promise<void> }> {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const server = await serve((_, response) => {
    response.write("half");
    resolve();
  });
  return Object.assign(server, { begun });
}

async function untilGone({ sockets }: LocalServer): Promise<void> {
  for (const socket of sockets) await new Promise((resolve) => socket.once("close", resolve));
}

describe("an answer that is too large", () => {
  it("is not read to its end", async () => {
    const poured = { mebibytes: 0 };
    await using server = await serve((_, response) => pour(response, 50, poured));
    expect(await failureOf({ url: server.url })).toEqual({
      class: "permanent",
      code: "HTTP_TOO_LARGE",
      message: `the answer to GET ${server.url}/ has more than 5242880 bytes`,
    });
    await untilGone(server);
    // What is under way between two sockets comes on top of what was read.
    expect(poured.mebibytes).toBeLessThan(25);
  });

  it("is not waited for when it says so, unless nothing comes anyway", async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { "content-length": 50 * MEBIBYTE.length }).flushHeaders();
    });
    expect((await failureOf({ url: server.url })).code).toBe("HTTP_TOO_LARGE");
    await untilGone(server);
    expect(await bodyOf({ url: server.url, method: "HEAD" })).toBeNull();
  });

  it("is not unpacked to its end", async () => {
    const packed = gzipSync(Buffer.alloc(50 * MEBIBYTE.length));
    await using server = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(packed),
    );
    expect((await failureOf({ url: server.url })).code).toBe("HTTP_TOO_LARGE");
  });

  it("begins with the first byte over the limit", async () => {
    await using server = await serve((request, response) => response.end("a".repeat(Number(request.url!.slice(1)))));
    const limits = { bodyBytes: 100 };
    expect(await bodyOf({ url: `${server.url}/100` }, { limits })).toBe("a".repeat(100));
    expect((await failureOf({ url: `${server.url}/101` }, { limits })).code).toBe("HTTP_TOO_LARGE");
  });
});

describe("an answer that comes slowly", () => {
  /** A letter every few milliseconds. */
  const drip = (letters: number): Promise<LocalServer> =>
    serve((_, response) => {
      let left = letters;
      const timer = setInterval(() => (left-- > 0 ? response.write("a") : response.end()), 4);
      response.on("close", () => clearInterval(timer)).on("finish", () => clearInterval(timer));
    });

  it("is waited for as long as something comes", async () => {
    await using server = await drip(10);
    expect(await bodyOf({ url: server.url }, { limits: { idleMs: 60_000 } })).toBe("aaaaaaaaaa");
  });

  it("FAIL-1 and stops is a transient failure", async () => {
    await using server = await serveHalf();
    const failure = await failureOf({ url: server.url }, { limits: { idleMs: 30 } });
    expect(failure).toMatchObject({ class: "transient", code: "HTTP_FAILED", cause: { code: "UND_ERR_BODY_TIMEOUT" } });
  });

  it("CANCEL-1 and never ends is stopped by its signal", async () => {
    await using server = await drip(Number.POSITIVE_INFINITY);
    using runner = openRunner();
    const { probe, running } = start(runner, { url: server.url });
    while (probe.log === "") await new Promise(setImmediate);
    running.abort(false, "not needed any more");
    await probe.whenSettled;
    expect(probe.told).toMatchObject([{ failure: { class: "cancelled" } }, "settled"]);
    await untilGone(server);
  });
});

describe("a signal", () => {
  it("CANCEL-1 in the middle of an answer ends the attempt as cancelled, and its socket is gone", async () => {
    await using server = await serveHalf();
    using runner = openRunner();
    const { probe, running } = start(runner, { url: server.url });
    await server.begun;
    running.abort(false, "not needed any more");
    await probe.whenSettled;
    const failure = { class: "cancelled", code: "AbortError", message: "not needed any more" };
    expect(probe.told).toEqual([{ kind: "failed", failure }, "settled"]);
    await untilGone(server);
  });

  it("CANCEL-1 before the head of an answer ends the attempt", async () => {
    await using server = await serveBytes(undefined);
    using runner = openRunner();
    const { probe, running } = start(runner, { url: server.url });
    while (server.reached.length === 0) await new Promise(setImmediate);
    running.abort(false, "stop");
    await probe.whenSettled;
    expect(probe.told).toMatchObject([{ failure: { class: "cancelled", message: "stop" } }, "settled"]);
    await untilGone(server);
  });
});

describe("a signal between one thing and the next", () => {
  it("CANCEL-1 while a name is looked up ends the attempt, and nobody is asked", async () => {
    await using server = await serve((_, response) => response.end());
    const { promise, resolve } = Promise.withResolvers<{ address: string; family: number }[]>();
    const asked = Promise.withResolvers<void>();
    using runner = openRunner({ lookup: () => (asked.resolve(), promise) });
    const { probe, running } = start(runner, { url: `http://host:${server.port}/` });
    await asked.promise;
    running.abort(false, "stop");
    await probe.whenSettled;
    resolve([{ address: "127.0.0.1", family: 4 }]);
    await new Promise(setImmediate);
    expect(probe.told).toMatchObject([{ failure: { class: "cancelled" } }, "settled"]);
    expect(server.reached).toEqual([]);
  });

  it("CANCEL-1 that fired before, or an attempt that nobody wants, prevents the request", async () => {
    await using server = await serve((_, response) => response.end());
    using runner = openRunner();
    const early = start(runner, { url: server.url });
    early.running.abort(false, "stop");
    const unwanted = start(runner, { url: server.url, isWanted: false });
    await runner.idle();
    for (const { probe } of [early, unwanted])
      expect(probe.told).toMatchObject([{ failure: { class: "cancelled" } }, "settled"]);
    expect(unwanted.probe.told).toMatchObject([{ failure: { message: "it was stopped before it began" } }, {}]);
    expect(server.reached).toEqual([]);
  });

  it("CANCEL-1 between two hops ends the attempt, and the second one is not made", async () => {
    await using server = await serve((_, response) => response.writeHead(302, { location: "/to" }).end());
    using runner = openRunner();
    const { probe, running } = start(runner, { url: `${server.url}/from` });
    probe.writeOutput = () => running.abort(false, "stop");
    await probe.whenSettled;
    expect(probe.told).toMatchObject([{ failure: { class: "cancelled" } }, "settled"]);
    expect(server.seen.map(({ path }) => path)).toEqual(["/from"]);
  });

  it("CANCEL-2 after an answer changes nothing", async () => {
    await using server = await serve((_, response) => response.end("done"));
    using runner = openRunner();
    const { probe, running } = start(runner, { url: server.url });
    await probe.whenSettled;
    running.abort(false, "too late");
    running.abort(true, "too late");
    expect(probe.told).toMatchObject([{ kind: "succeeded" }, "settled"]);
  });
});

describe("force", () => {
  it("CANCEL-2 gives the attempt up: it does not end, but settles when its socket is gone", async () => {
    await using server = await serveHalf();
    using runner = openRunner();
    const { probe, running } = start(runner, { url: server.url });
    await server.begun;
    running.abort(true, "stop");
    await probe.whenSettled;
    expect(probe.told).toEqual(["settled"]);
    await untilGone(server);
    await runner.idle();
  });

  it("CANCEL-2 after a signal changes nothing but that", async () => {
    await using server = await serveHalf();
    using runner = openRunner();
    const { probe, running } = start(runner, { url: server.url });
    await server.begun;
    running.abort(false, "stop");
    running.abort(true, "stop");
    await probe.whenSettled;
    expect(probe.told).toEqual(["settled"]);
  });
});

describe("a runner", () => {
  it("closes by force what is under way, and leaves nothing open", async () => {
    await using server = await serveHalf();
    const runner = openRunner();
    const probes = [0, 1, 2].map(() => start(runner, { url: server.url }).probe);
    await server.begun;
    await runner.close();
    expect(probes.map(({ told }) => told)).toEqual([["settled"], ["settled"], ["settled"]]);
    await untilGone(server);
    expect(process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap")).toEqual([]);
  });

  it("is idle when nothing runs, and never busy", async () => {
    await using server = await serve((_, response) => response.end("done"));
    using runner = openRunner();
    await runner.idle();
    const { probe } = start(runner, { url: server.url });
    expect(probe.told).toEqual([]);
    expect(runner.commitDelayTicks).toBe(0);
    await runner.idle();
    expect(probe.told).toMatchObject([{ kind: "succeeded" }, "settled"]);
  });

  it("asks many at once", async () => {
    await using server = await serve((_, response) => response.end("done"));
    using runner = openRunner();
    const probes = Array.from({ length: 100 }, () => start(runner, { url: server.url }).probe);
    await runner.idle();
    expect(probes.every(({ told }) => typeof told[0] === "object" && told[0].kind === "succeeded")).toBe(true);
  });

  it("goes on when a line cannot be kept, and reports it", async () => {
    await using server = await serve((_, response) => response.end("done"));
    const reported: unknown[] = [];
    using runner = openRunner({ report: (error) => reported.push(error) });
    const { probe } = start(runner, { url: server.url });
    probe.writeOutput = () => {
      throw new Error("disk full");
    };
    await probe.whenSettled;
    expect(probe.told).toMatchObject([{ kind: "succeeded" }, "settled"]);
    expect(reported).toEqual([new Error("disk full")]);
  });
});

describe("a conversation that never ends", () => {
  /** A clock that a test rings. */
  function bell(): { readonly timer: HttpOptions["timer"]; readonly asked: number[]; ring: () => void } {
    const own = { asked: [] as number[], ring: (): void => undefined, timer: (): (() => void) => () => undefined };
    return Object.assign(own, {
      timer: (ms: number, ring: () => void) => {
        own.asked.push(ms);
        own.ring = ring;
        return () => undefined;
      },
    });
  }

  it("FAIL-4 is over when its whole time is over, however often a byte comes", async () => {
    await using server = await serveHalf();
    const clock = bell();
    using runner = openRunner({ timer: clock.timer });
    const { probe } = start(runner, { url: server.url });
    await server.begun;
    clock.ring();
    await probe.whenSettled;
    expect(clock.asked).toEqual([300_000]);
    const message = "there was no whole answer within 300 seconds";
    expect(probe.told[0]).toEqual({ kind: "failed", failure: { class: "transient", code: "HTTP_TIMEOUT", message } });
    await untilGone(server);
  });

  it("FAIL-4 is over also before its answer begins, as when a server takes the body byte by byte", async () => {
    await using server = await serveBytes(undefined);
    const clock = bell();
    using runner = openRunner({ timer: clock.timer, limits: { totalMs: 5000 } });
    const { probe } = start(runner, { url: server.url, method: "POST", body: "x".repeat(1_000_000) });
    while (server.sockets.size === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.ring();
    await probe.whenSettled;
    expect(clock.asked).toEqual([5000]);
    expect(probe.told[0]).toMatchObject({ failure: { code: "HTTP_TIMEOUT" } });
    await untilGone(server);
  });

  it("FAIL-4 takes as long as its step's `timeout` says, where it has one", async () => {
    await using server = await serve((_, response) => response.end("done"));
    const clock = bell();
    using runner = openRunner({ timer: clock.timer });
    const { probe } = start(runner, { url: server.url, deadline: epochMs(Date.now() + 3_600_000) });
    await probe.whenSettled;
    expect(clock.asked).toEqual([]);
  });
});
