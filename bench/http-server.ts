// The server of the HTTP benchmarks, in a process of its own: `node bench/http-server.ts <file>`. It prints its addresses and its
// token. A line on its input makes it publish so many events; it then prints how many there were, and how late a subscriber got them.

import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import fastify from "fastify";
import { Engine } from "@segno/engine";
import { serve } from "@segno/server";
import { AGENTS, makeChain } from "./engine-workflows.ts";
import { percentile } from "./figure.ts";

const CHAIN = makeChain(3);
const TICK_MS = 10;
const engine = await Engine.open({
  file: process.argv[2]!,
  agents: AGENTS,
  limits: { slots: 1000, perAgent: 1000 },
});
const server = await serve(engine, {
  port: 0,
  workflows: [CHAIN],
  limits: { rate: 1e9, burst: 1e9, streams: 1000, streamsPerToken: 1000 },
});
const { token } = await server.tokens.create({ name: "bench", scopes: ["admin"] });

/** The same bytes from a route that does nothing. */
const handle = await engine.start(CHAIN);
await handle.result();
const path = `/v1/executions/${handle.id}`;
const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
const bytes = await response.text();
const bare = fastify();
bare.get(path, async (_, reply) => reply.type("application/json; charset=utf-8").send(bytes));
const bareUrl = await bare.listen({ port: 0, host: "127.0.0.1" });
console.log(JSON.stringify({ url: server.url, bareUrl, path, token }));

for await (const line of createInterface({ input: process.stdin })) {
  const { events, perSecond } = JSON.parse(line) as { events: number; perSecond: number };
  console.log(JSON.stringify(await publish(events, perSecond)));
}
process.exit();

async function publish(
  events: number,
  perSecond: number,
): Promise<{ published: number; p99: number; seconds: number }> {
  const delays: number[] = [];
  const stop = engine.subscribe({}, (batch) => {
    const now = Date.now();
    for (const { at } of batch.events) delays.push(now - at);
  });
  const perExecution = (await handle.status()).seq;
  const running: Promise<unknown>[] = [];
  const begin = performance.now();
  while (running.length * perExecution < events) {
    const due = ((performance.now() - begin) / 1000) * (perSecond / perExecution);
    while (running.length < due) running.push(engine.start(CHAIN).then((each) => each.result()));
    await sleep(TICK_MS);
  }
  await Promise.all(running);
  const seconds = (performance.now() - begin) / 1000;
  const published = running.length * perExecution;
  while (delays.length < published) await sleep(TICK_MS);
  stop();
  return { published, p99: percentile(delays, 0.99), seconds };
}
