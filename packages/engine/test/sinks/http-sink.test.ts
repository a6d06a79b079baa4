import { describe, expect, it } from "vitest";
import { openSink, type HttpSinkOptions, type Sink, type SinkRecord } from "@segno/engine";
import { startServer, statuses } from "./recording-server.ts";

const record = (message: string, level: SinkRecord["level"] = "info"): SinkRecord => ({ time: 1, level, message });

interface Opened {
  readonly sink: Sink;
  readonly errors: unknown[];
  /** The delays that the sink asked for; they pass at once. */
  readonly waits: number[];
}

function open(options: Omit<HttpSinkOptions, "type">): Opened {
  const errors: unknown[] = [];
  const waits: number[] = [];
  const sink = openSink(
    { type: "http", ...options },
    {
      now: () => 7,
      onError: (error) => errors.push(error),
      wait: async (ms, signal) => {
        signal.throwIfAborted();
        // The bound of `close` does not pass: these tests deliver everything.
        if (ms === CLOSE_MS) return await new Promise(() => undefined);
        waits.push(ms);
      },
    },
  );
  return { sink, errors, waits };
}

const CLOSE_MS = 5000;

describe("a sink over HTTP", () => {
  it("EVENT-3 posts the lines of one turn as one batch of JSON lines, also to a private address", async () => {
    await using server = await startServer(statuses(200));
    const { sink } = open({ url: server.url, headers: { "x-team": "a" } });
    for (const message of ["a", "b"]) sink.write(record(message));
    await sink.flush();
    sink.write({ ...record("c"), fields: { taskId: "t" } });
    await sink.close();
    expect(server.requests.map(({ messages }) => messages)).toEqual([["a", "b"], ["c"]]);
    expect(server.requests[1]!.lines).toEqual([{ time: 1, level: "info", taskId: "t", message: "c" }]);
    expect(server.requests[0]!.headers).toMatchObject({ "content-type": "application/x-ndjson", "x-team": "a" });
  });

  it("EVENT-3 sends a batch again with growing delays until the server takes it", async () => {
    await using server = await startServer(statuses(503, 500, 429, 204));
    const { sink, waits, errors } = open({ url: server.url });
    sink.write(record("a"));
    await sink.close();
    expect(server.requests.map(({ messages }) => messages)).toEqual([["a"], ["a"], ["a"], ["a"]]);
    expect(waits).toEqual([1000, 2000, 4000]);
    expect([errors, sink.dropped]).toEqual([[], 0]);
  });

  it("EVENT-3 waits as long as the server asks for, but not for ever", async () => {
    let calls = 0;
    await using server = await startServer((_, response) => {
      response.writeHead(calls === 2 ? 200 : 429, { "retry-after": calls++ === 0 ? "3" : "86400" }).end();
    });
    const { sink, waits } = open({ url: server.url });
    sink.write(record("a"));
    await sink.close();
    expect(waits).toEqual([3000, 30_000]);
  });

  it("EVENT-3 sends a user name of the URL as a header", async () => {
    await using server = await startServer(statuses(200));
    const { sink } = open({ url: server.url.replace("//", "//user:p%40ss@") });
    sink.write(record("a"));
    await sink.close();
    expect(server.requests[0]!.headers.authorization).toBe(`Basic ${Buffer.from("user:p@ss").toString("base64")}`);
  });
});

describe("a sink over HTTP that cannot deliver", () => {
  it("EVENT-3 loses a batch that the server refuses or never takes, reports it, and states the loss later", async () => {
    await using server = await startServer(statuses(400, 503, 503, 307, 200));
    const { sink, errors } = open({ url: `${server.url}?token=t`, attempts: 2 });
    for (const message of ["refused", "never taken", "moved", "taken"]) {
      sink.write(record(message));
      await sink.flush();
    }
    await sink.close();
    expect(server.requests.at(-1)!.lines).toEqual([
      { time: 7, level: "warn", dropped: 3, message: "lines were lost" },
      { time: 1, level: "info", message: "taken" },
    ]);
    expect(sink.dropped).toBe(3);
    expect(errors).toMatchObject([
      { code: "SINK_FAILED", message: `the sink ${server.url} lost 1 line: the server answered 400` },
      { code: "SINK_FAILED", message: `the sink ${server.url} lost 1 line: the server answered 503` },
      { code: "SINK_FAILED", message: `the sink ${server.url} lost 1 line: the server answered 307` },
    ]);
  });

  it("EVENT-3 reports a server that cannot be reached, with the cause and without the password", async () => {
    const server = await startServer(statuses(200));
    await server[Symbol.asyncDispose]();
    const { sink, errors } = open({ url: server.url.replace("//", "//user:secret-password@"), attempts: 1 });
    sink.write(record("a"));
    await sink.close();
    expect(errors).toMatchObject([{ message: expect.stringMatching(/lost 1 line: .*ECONNREFUSED/u) as string }]);
    expect(String(errors)).not.toContain("secret-password");
  });
});

describe("a sink over HTTP to a server that does not answer", () => {
  it("EVENT-3 gives a request up after its time", async () => {
    await using server = await startServer(() => undefined);
    const { sink, errors } = open({ url: server.url, attempts: 2, timeoutMs: 20 });
    sink.write(record("a"));
    await sink.close();
    expect(errors).toMatchObject([{ code: "SINK_FAILED", message: expect.stringContaining("within 20 ms") as string }]);
  });

  it("EVENT-3 EVENT-2 drops the oldest lines, and never waits for it", async () => {
    const answers: (() => void)[] = [];
    await using server = await startServer((_, response) => {
      answers.push(() => response.end());
      if (answers.length > 1) response.end();
    });
    const { sink } = open({ url: server.url, queueMax: 3 });
    sink.write(record("first"));
    await expect.poll(() => answers.length).toBe(1);
    for (let each = 0; each < 10; each++) sink.write(record(`line ${each}`));
    expect(sink.dropped).toBe(7);
    answers[0]!();
    await sink.close();
    expect(server.requests.map(({ messages }) => messages)).toEqual([
      ["first"],
      ["lines were lost", "line 7", "line 8", "line 9"],
    ]);
  });

  it("EVENT-3 is closed within a bound, and the lines that are left count as lost", async () => {
    await using server = await startServer(() => undefined);
    const errors: unknown[] = [];
    const sink = openSink(
      { type: "http", url: server.url, closeMs: 1 },
      { wait: async () => undefined, onError: (error) => errors.push(error) },
    );
    sink.write(record("a"));
    await expect.poll(() => server.requests.length).toBe(1);
    sink.write(record("b"));
    await sink.close();
    sink.write(record("late"));
    expect(sink.dropped).toBe(3);
    expect(errors).toMatchObject([{ message: expect.stringContaining("lost 2 lines: the sink was closed") as string }]);
  });
});
