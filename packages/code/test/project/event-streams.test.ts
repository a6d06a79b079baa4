// The streams of the configuration, with real workflows and restarts.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ExecutionHandle } from "@segno/engine";
import { describe, expect, it, vi } from "vitest";
import { loadExecutorConfig, type ExecutorConfig } from "../../src/config/executor-config.ts";
import { codeEvents } from "../../src/events/event-feed.ts";
import { levelOfEvent } from "../../src/events/event-record.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

interface Line {
  readonly eventId: string;
  readonly level: string;
  readonly message: string;
  readonly taskType?: string;
  readonly workspacePath?: string;
}

function events(yaml: string): ExecutorConfig {
  return quick(loadExecutorConfig(`executor: { events: ${yaml} }\n`));
}

function openProject(): CodeProject {
  const project = new CodeProject();
  project.git("checkout", "--quiet", "-b", "mine");
  return project;
}

/** One task; its agent asks a person first. */
function asking(project: CodeProject): string {
  const asked = join(project.root, "asked");
  const agent = project.agent(
    "agent.sh",
    `if [ -e '${asked}' ]; then echo 1 > one.txt; else touch '${asked}'; exit 10; fi`,
  );
  return `name: ask\npolicies: { step: auto, workflow: auto }\nagent: a\nagents: { a: { command: ["${agent}"] } }\ntasks:\n  - { id: one, instructions: work, type: feature }\n`;
}

async function untilAsked(handle: ExecutionHandle): Promise<void> {
  const isAsked = async (): Promise<boolean> =>
    (await handle.status()).steps.some(({ name, status }) => name.endsWith("/question") && status === "suspended");
  await vi.waitFor(async () => expect(await isAsked()).toBe(true), 100_000);
}

function parse(lines: string): readonly Line[] {
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

async function idsOf(project: CodeProject, id: string, levels: readonly string[] = []): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const event of codeEvents(project.engine!, id))
    if (levels.length === 0 || levels.includes(levelOfEvent(event.type))) ids.push(event.id);
  return ids;
}

const LOG = "logs/execution.log";

describe("the streams of a workflow", () => {
  it("CODE-13 EVENT-5 a file has each event of its level, with the fields of its line", async () => {
    await using project = openProject();
    const handle = await project.start(
      asking(project),
      events(`{ streams: [{ type: file, level: debug }, { type: file, path: ${project.root}/info.log }] }`),
    );
    await untilAsked(handle);
    await handle.approve("session-one/question", { by: "ada" });
    await handle.result();
    const ids = await idsOf(project, handle.id);
    const infos = await idsOf(project, handle.id, ["info", "warn", "error"]);
    await project.closeEngine();
    const lines = parse(readFileSync(join(project.root, LOG), "utf8"));
    expect(lines.map(({ eventId }) => eventId)).toEqual(ids);
    expect(lines.find(({ message }) => message === "Task scheduled")).toMatchObject({ taskType: "feature" });
    expect(lines.find(({ message }) => message === "Session created")).toMatchObject({
      level: "debug",
      workspacePath: join(project.folder, ".segno/worktrees", handle.id, "one"),
    });
    expect(parse(readFileSync(join(project.root, "info.log"), "utf8")).map(({ eventId }) => eventId)).toEqual(infos);
    expect(existsSync(join(project.root, "streams", `${handle.id}.json`))).toBe(false);
  });
});

describe("the file of a workflow after a restart", () => {
  it.each(["goes on", "has lost its record"])(
    "EVENT-3 a file has each event once after a restart that %s",
    async (how) => {
      await using project = openProject();
      const started = await project.start(asking(project), events("{ streams: [{ type: file, level: debug }] }"));
      await untilAsked(started);
      const file = join(project.root, LOG);
      await vi.waitFor(() => expect(readFileSync(file, "utf8")).toContain("Error escalated"), 100_000);
      await project.closeEngine();
      if (how !== "goes on") rmSync(join(project.root, "streams"), { recursive: true });
      const handle = await (await project.openEngine()).get(started.id);
      await handle.approve("session-one/question", { by: "ada" });
      await handle.result();
      const ids = await idsOf(project, handle.id);
      await project.closeEngine();
      expect(parse(readFileSync(file, "utf8")).map(({ eventId }) => eventId)).toEqual(ids);
    },
  );

  it("EVENT-3 a rotated file has each event once after a restart", async () => {
    await using project = openProject();
    const started = await project.start(
      asking(project),
      events("{ streams: [{ type: file, level: debug, max_bytes: 1024, max_files: 50 }] }"),
    );
    await untilAsked(started);
    const file = join(project.root, LOG);
    const written = (): string =>
      Array.from({ length: 50 }, (_, each) => `${file}.${50 - each}`)
        .concat(file)
        .map((path) => (existsSync(path) ? readFileSync(path, "utf8") : ""))
        .join("");
    await vi.waitFor(() => expect(written()).toContain("Error escalated"), 100_000);
    await project.closeEngine();
    const handle = await (await project.openEngine()).get(started.id);
    await handle.approve("session-one/question", { by: "ada" });
    await handle.result();
    const ids = await idsOf(project, handle.id);
    await project.closeEngine();
    expect(parse(written()).map(({ eventId }) => eventId)).toEqual(ids);
    expect(existsSync(`${file}.2`)).toBe(true);
  });

  it("EVENT-3 the next process writes the last events of a workflow that ended in a crashed one", async () => {
    await using project = openProject();
    const config = events("{ streams: [{ type: file, level: debug }] }");
    const handle = await project.start(asking(project), config);
    await untilAsked(handle);
    await handle.approve("session-one/question", { by: "ada" });
    await handle.result();
    const ids = await idsOf(project, handle.id);
    await project.closeEngine();
    const file = join(project.root, LOG);
    const lines = readFileSync(file, "utf8").split("\n");
    // The state after a crash: the record is behind the file, whose last line is cut.
    writeFileSync(file, `${lines.slice(0, 5).join("\n")}\n${lines[5]!.slice(0, 20)}`);
    const record = { streams: config.events.streams, places: [{ eventId: ids[1], size: 0 }], hasEnded: false };
    writeFileSync(join(project.root, "streams", `${handle.id}.json`), JSON.stringify(record));
    await project.openEngine();
    await project.closeEngine();
    const written = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.endsWith("}"));
    expect(parse(written.join("\n")).map(({ eventId }) => eventId)).toEqual(ids);
  });
});

describe("other streams of a workflow", () => {
  it("EVENT-3 an HTTP server gets each event of its level, with its id", async () => {
    await using project = openProject();
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
    const handle = await project.start(asking(project), events(`{ streams: [{ type: http, url: "${url}" }] }`));
    await untilAsked(handle);
    await handle.approve("session-one/question", { by: "ada" });
    await handle.result();
    const ids = await idsOf(project, handle.id, ["info", "warn", "error"]);
    await project.closeEngine();
    expect(parse(bodies.join("")).map(({ eventId }) => eventId)).toEqual(ids);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("EVENT-3 a server that is down gets the events of the outage from the next process", async () => {
    await using project = openProject();
    const bodies: string[] = [];
    let [isDown, refused] = [true, 0];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        if (!isDown) bodies.push(body);
        else refused++;
        response.writeHead(isDown ? 503 : 200, { "retry-after": "0" }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
    const handle = await project.start(asking(project), events(`{ streams: [{ type: http, url: "${url}" }] }`));
    await untilAsked(handle);
    await vi.waitFor(() => expect(refused).toBeGreaterThan(6), 100_000);
    await project.closeEngine();
    isDown = false;
    const again = await (await project.openEngine()).get(handle.id);
    await again.approve("session-one/question", { by: "ada" });
    await again.result();
    const ids = await idsOf(project, handle.id, ["info", "warn", "error"]);
    await project.closeEngine();
    expect([...new Set(parse(bodies.join("")).map(({ eventId }) => eventId))]).toEqual(ids);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("CODE-13 nothing is written with `enabled: false`", async () => {
    await using project = openProject();
    const handle = await project.start(asking(project), events("{ enabled: false, streams: [{ type: file }] }"));
    await untilAsked(handle);
    await project.closeEngine();
    expect(existsSync(join(project.root, LOG))).toBe(false);
    expect(existsSync(join(project.root, "streams"))).toBe(false);
  });
});
