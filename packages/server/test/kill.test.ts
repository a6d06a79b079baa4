// The server is killed while it starts executions and sends events. After a restart nothing is lost, nothing has started twice, and
// every stream continues where it was (HTTP-4, HTTP-5, IDEM).

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { sentEvents } from "./streams.ts";

const PROGRAM = fileURLToPath(new URL("server-process.ts", import.meta.url));
const STARTS = 1000;
const STREAMS = 50;
const AT_ONCE = 20;
/** The server is killed when it has answered this many starts. */
const KILLED_AFTER = 400;

class ServerProcess {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #token: string;

  private constructor(child: ChildProcess, url: string, token: string) {
    this.#child = child;
    this.#url = url;
    this.#token = token;
  }

  static async open(file: string): Promise<ServerProcess> {
    const child = spawn(process.execPath, [PROGRAM, file], { stdio: ["pipe", "pipe", "inherit"] });
    for await (const line of createInterface({ input: child.stdout })) {
      const { url, token } = JSON.parse(line) as { url: string; token: string };
      return new ServerProcess(child, url, token);
    }
    throw new Error("the server did not start");
  }

  call(path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.#url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}

/** Reads events until the stream ends or breaks. Every number is the one after the last. */
class StreamReader {
  readonly id: string;
  readonly seqs: number[] = [];
  lastKind = "";
  #lastId = "";

  constructor(id: string) {
    this.id = id;
  }

  async read(server: ServerProcess, onEvent: () => void = () => undefined): Promise<void> {
    const headers: Record<string, string> = this.#lastId === "" ? {} : { "last-event-id": this.#lastId };
    const response = await server.call(`/v1/executions/${this.id}/events`, undefined, headers);
    expect(response.status).toBe(200);
    try {
      for await (const { id, event, data } of sentEvents(response)) {
        this.#lastId = id!;
        this.lastKind = event;
        this.seqs.push(data["seq"] as number);
        onEvent();
      }
    } catch (error) {
      // The server was killed.
      expect(error).toBeInstanceOf(TypeError);
    }
  }
}

async function start(server: ServerProcess, index: number): Promise<{ id: string; isReplayed: boolean }> {
  const body = { workflow: "hello", input: { name: `n${index}` } };
  const response = await server.call("/v1/executions", body, { "idempotency-key": `key-${index}` });
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as { id: string };
  return { id, isReplayed: response.headers.get("idempotency-replayed") === "true" };
}

/** Runs the work for each index, a few at once. */
async function inParallel(work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < STARTS; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function listAll(
  server: ServerProcess,
): Promise<readonly { id: string; status: string; idempotencyKey?: string }[]> {
  const found = [];
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await server.call(`/v1/executions?limit=500${query}`);
    const page = (await response.json()) as { executions: { id: string; status: string }[]; cursor?: string };
    found.push(...page.executions);
    cursor = page.cursor;
  }
  return found;
}

it(`HTTP-4 a server that is killed during ${STARTS} starts with ${STREAMS} open streams loses nothing and starts nothing twice`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "segno-kill-"));
  const file = join(folder, "segno.db");
  const first = await ServerProcess.open(file);
  let second: ServerProcess | undefined;
  try {
    const readers = Array.from({ length: STREAMS }, (_, index) => new StreamReader(`stream-${index}`));
    const begun = readers.map(async (reader) => {
      await first.call("/v1/executions", { workflow: "waits", id: reader.id });
      const { promise, resolve } = Promise.withResolvers<void>();
      const reading = reader.read(first, resolve);
      await Promise.race([promise, reading]);
      return { reading };
    });
    const reading = (await Promise.all(begun)).map((each) => each.reading);

    const answered = new Map<number, string>();
    let killing: Promise<void> | undefined;
    await inParallel(async (index) => {
      if (killing !== undefined) return;
      try {
        answered.set(index, (await start(first, index)).id);
      } catch (error) {
        // Only a broken connection is expected, and only after the kill.
        expect([killing !== undefined, error]).toEqual([true, expect.any(TypeError)]);
      }
      if (answered.size >= KILLED_AFTER) killing ??= first.kill();
    });
    await killing;
    await Promise.all(reading);
    expect(answered.size).toBeLessThan(STARTS);

    second = await ServerProcess.open(file);
    const server = second;
    const ids = new Map<number, string>();
    await inParallel(async (index) => {
      const { id, isReplayed } = await start(server, index);
      ids.set(index, id);
      if (answered.has(index)) expect([id, isReplayed]).toEqual([answered.get(index), true]);
    });
    expect(new Set(ids.values()).size).toBe(STARTS);
    await Promise.all(
      readers.map(async (reader) => {
        const continued = reader.read(server);
        expect((await server.call(`/v1/executions/${reader.id}/signals/go`, { id: "go-1" })).status).toBe(200);
        await continued;
        expect(reader.lastKind).toBe("execution.completed");
        expect(reader.seqs).toEqual(reader.seqs.map((_, index) => index + 1));
      }),
    );
    await expect
      .poll(async () => (await listAll(server)).filter(({ status }) => status !== "completed"), { interval: 200 })
      .toEqual([]);
    const keys = (await listAll(server)).map(({ idempotencyKey }) => idempotencyKey).filter((key) => key !== undefined);
    expect([keys.length, new Set(keys).size]).toEqual([STARTS, STARTS]);
    expect(await listAll(server)).toHaveLength(STARTS + STREAMS);
  } finally {
    await first.kill();
    await second?.kill();
    await rm(folder, { recursive: true, force: true });
  }
});
