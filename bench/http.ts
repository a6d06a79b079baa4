// The HTTP API against the library and against a bare route. The server is in another process than its clients.
//
//   http-start  start and result of an execution of 3 steps, with one client and with 50, against the library in this process.
//   http-read   the status of an execution that has ended, against a bare fastify route with the same bytes.
//   sse         5,000 events a second to 20 readers: none is lost, and 99 of 100 arrive at most 10 ms after an in-process subscriber
//               gets them, that is, after the commit.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine } from "@segno/engine";
import { contest } from "./contest.ts";
import { AGENTS, inParallel, makeChain, run } from "./engine-workflows.ts";
import { figure, ms, percentile, type Figure } from "./figure.ts";
import { withFolder } from "./folder.ts";
import { HttpClient, openHttpProcess, type HttpProcess } from "./http-process.ts";

const CHAIN = makeChain(3);
const STARTS = [
  { clients: 1, executions: 50, share: 0.7 },
  { clients: 50, executions: 300, share: 0.35 },
];
const READS = 500;
const READ_SHARE = 0.6;
const ROUNDS = 7;
const READERS = 20;
const EVENTS = 25_000;
const EVENTS_PER_SECOND = 5000;
const LATE_MS = 10;

export function benchHttpStart(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    await using engine = await Engine.open({
      file: join(folder, "library.db"),
      agents: AGENTS,
      limits: { slots: 1000, perAgent: 1000 },
    });
    await using server = await openHttpProcess(join(folder, "server.db"));
    using client = new HttpClient(server.token);
    const body = JSON.stringify({ workflow: CHAIN.name });
    const start = async (): Promise<void> =>
      void (await client.call(`${server.url}/v1/executions`, body, { prefer: "wait=30" }));
    const figures: Figure[] = [];
    for (const { clients, executions, share } of STARTS) {
      const { oursMs, baselineMs } = await contest({
        ours: () => inParallel(executions, clients, start),
        baseline: () => inParallel(executions, clients, () => run(engine, CHAIN)),
        rounds: ROUNDS,
      });
      const name = `http-start: ${executions} executions of 3 steps, ${clients} at once, against the library`;
      figures.push(figure(name, oursMs / baselineMs, 1 / share, `${ms(oursMs)} against ${ms(baselineMs)}`));
    }
    return figures;
  });
}

export function benchHttpRead(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    await using server = await openHttpProcess(join(folder, "server.db"));
    using client = new HttpClient(server.token);
    const read = async (url: string): Promise<void> => void (await client.call(url + server.path));
    const { oursMs, baselineMs } = await contest({
      ours: () => inParallel(READS, 10, () => read(server.url)),
      baseline: () => inParallel(READS, 10, () => read(server.bareUrl)),
      rounds: 3 * ROUNDS,
    });
    const name = `http-read: ${READS} reads of a status, against a bare route with the same bytes`;
    return [figure(name, oursMs / baselineMs, 1 / READ_SHARE, `${ms(oursMs)} against ${ms(baselineMs)}`)];
  });
}

export function benchSse(): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    await using server = await openHttpProcess(join(folder, "server.db"));
    using client = new HttpClient(server.token);
    const readers = await Promise.all(Array.from({ length: READERS }, () => openReader(client, server)));
    await server.ask({ events: EVENTS / 10, perSecond: EVENTS_PER_SECOND });
    await settled(readers);
    for (const reader of readers) reader.delays.length = 0;
    const answer = await server.ask({ events: EVENTS, perSecond: EVENTS_PER_SECOND });
    const { published, p99, seconds } = answer as { published: number; p99: number; seconds: number };
    await settled(readers);
    const lost = readers.reduce((sum, { delays }) => sum + published - delays.length, 0);
    const late = percentile(
      readers.flatMap(({ delays }) => delays),
      0.99,
    );
    const rate = Math.round(published / seconds);
    return [
      figure(
        `sse: events that one of ${READERS} readers did not get`,
        lost,
        0,
        `${published} events, ${rate} a second`,
      ),
      figure(
        `sse: 99 of 100 events, against a subscriber and ${LATE_MS} ms`,
        late / (p99 + LATE_MS),
        1,
        `${ms(late)} against ${ms(p99)} and ${LATE_MS} ms`,
      ),
    ];
  });
}

interface SseReader {
  /** For each event, the milliseconds from its time to its arrival. */
  readonly delays: number[];
}

async function openReader(client: HttpClient, { url }: HttpProcess): Promise<SseReader> {
  const response = await client.open(`${url}/v1/events`);
  const delays: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let text = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    const now = Date.now();
    text += chunk;
    const end = text.lastIndexOf("\n\n");
    if (end < 0) return;
    for (const [, at] of text.slice(0, end).matchAll(/^data: .*?"at":(\d+)/gmu)) delays.push(now - Number(at));
    text = text.slice(end + 2);
    resolve();
  });
  // The snapshot has come, so every later event will.
  await promise;
  delays.length = 0;
  return { delays };
}

/** Waits until nothing has come for a while. */
async function settled(readers: readonly SseReader[]): Promise<void> {
  for (let last = -1, count = 0; count !== last;) {
    last = count;
    await sleep(1000);
    count = readers.reduce((sum, { delays }) => sum + delays.length, 0);
  }
}
