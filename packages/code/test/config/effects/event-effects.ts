import { createHmac } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { vi } from "vitest";
import type { ExecutorConfig } from "../../../src/config/executor-config.ts";
import { MemoryExecutor } from "../../executor/memory-executor.ts";
import { independent } from "../../executor/memory-scripts.ts";
import type { KeyEffect } from "./key-effect.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-event-effects-"));
const file = (name: string): string => join(folder, name);

/** Runs a workflow, and gives back the number of events that the event port got. */
async function run(config: ExecutorConfig): Promise<number> {
  const test = new MemoryExecutor({}, { config });
  await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("a"), {}));
  await test.executor.close();
  return test.events.events.length;
}

async function stdoutLines(config: ExecutorConfig): Promise<number> {
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(folder);
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk, ...rest) => {
    lines.push(String(chunk));
    for (const each of rest) if (typeof each === "function") each();
    return true;
  });
  try {
    await run(config);
  } finally {
    write.mockRestore();
    cwd.mockRestore();
  }
  return lines.filter((line) => line.includes("Workflow completed")).length;
}

/** A server that keeps the messages that it gets. */
async function collector(messages: string[]): Promise<Server> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ headers: request.headers, body });
      messages.push(...(body.match(/(?<="message":")[^"]*/gu) ?? []));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

interface SentRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const requests: SentRequest[] = [];

function isSigned({ headers, body }: SentRequest, key: string): boolean {
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

process.env["SEGNO_SECRET_HOOK_A"] = "the key of hook a";
process.env["SEGNO_SECRET_HOOK_B"] = "the key of hook b";

const received: readonly string[][] = [[], [], []];
const servers = await Promise.all(received.map(collector));
const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`);

export function closeServers(): void {
  for (const server of servers) server.close();
}

export const EVENT_EFFECTS: readonly KeyEffect[] = [
  {
    key: "events.enabled",
    beside: { events: { streams: [{ type: "file", path: file("enabled.log") }] } },
    values: [false, true],
    results: [
      [false, false],
      [true, true],
    ],
    observe: async (config) => [(await run(config)) > 0, existsSync(file("enabled.log"))],
  },
  {
    key: "events.streams[].type",
    values: ["stdout", "file"],
    results: [1, 0],
    observe: stdoutLines,
  },
  {
    key: "events.streams[].level",
    beside: { events: { streams: [{ type: "file", path: file("level.log") }] } },
    values: ["info", "debug"],
    results: [false, true],
    observe: async (config) => {
      await run(config);
      return readFileSync(file("level.log"), "utf8").includes("Session created");
    },
  },
  {
    key: "events.streams[].path",
    beside: { events: { streams: [{ type: "file" }] } },
    values: [file("one.log"), file("two.log")],
    results: [
      [true, false],
      [true, true],
    ],
    observe: async (config) => {
      await run(config);
      return ["one.log", "two.log"].map((name) => existsSync(file(name)));
    },
  },
  {
    key: "events.streams[].url",
    beside: { events: { streams: [{ type: "http" }] } },
    values: [urls[0], urls[1]],
    results: [
      [true, false],
      [true, true],
    ],
    observe: async (config) => {
      await run(config);
      return received.slice(0, 2).map((messages) => messages.includes("Workflow completed"));
    },
  },
  {
    key: "events.streams[].max_bytes",
    beside: { events: { streams: [{ type: "file", path: file("bytes.log") }] } },
    values: [1_000_000, 1024],
    results: [false, true],
    observe: async (config) => {
      await run(config);
      return existsSync(file("bytes.log.1"));
    },
  },
  {
    key: "events.streams[].max_files",
    beside: { events: { streams: [{ type: "file", path: file("files.log"), max_bytes: 1024 }] } },
    values: [1, 100],
    results: [false, true],
    observe: async (config) => {
      await run(config);
      await run(config);
      return existsSync(file("files.log.2"));
    },
  },
  {
    key: "events.streams[].secret",
    beside: { events: { streams: [{ type: "http", url: urls[2] }] } },
    values: ["hook-a", "hook-b"],
    results: [
      [true, false],
      [false, true],
    ],
    observe: async (config) => {
      const before = requests.length;
      await run(config);
      const sent = requests.slice(before);
      return ["the key of hook a", "the key of hook b"].map((key) => sent.some((request) => isSigned(request, key)));
    },
  },
];
