// 200 streams and 50 stalled readers keep the memory flat (HTTP-5). The figures are printed into the report of the tests.

import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { ServerFixture } from "./server-fixture.ts";

const READERS = 200;
const STALLED = 50;
const ROUNDS = 6;
const WARM_UPS = 600;
const STARTS_A_ROUND = 30;
/** Each execution has its input in several events, so a round sends more than a stalled reader may have in memory. */
const NAME = "x".repeat(20_000);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The memory of this process without garbage, in MB. Sockets keep their bytes outside the heap. */
async function memoryMb(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}

async function openStream({ server, token }: ServerFixture): Promise<Socket> {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined);
  socket.write(`GET /v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, "readable");
  return socket;
}

async function startMany(fixture: ServerFixture, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { status } = await fixture.post(
      "/v1/executions",
      { workflow: "hello", input: { name: NAME } },
      { headers: { prefer: "wait=30" } },
    );
    expect(status).toBe(200);
  }
}

it(`HTTP-5 ${READERS} streams and ${STALLED} stalled readers keep the memory flat`, async () => {
  await using fixture = await ServerFixture.open({
    limits: { streams: 1000, streamsPerToken: 1000, rate: 1_000_000, burst: 1_000_000 },
  });
  // Ended executions are kept in caches, which are filled before anything is measured.
  await Promise.all(Array.from({ length: 10 }, () => startMany(fixture, WARM_UPS / 10)));
  const before = await memoryMb();
  const sockets = await Promise.all(Array.from({ length: READERS + STALLED }, () => openStream(fixture)));
  let received = 0;
  // The others never read, so their buffers fill.
  for (const socket of sockets.slice(0, READERS)) socket.on("data", (chunk: Buffer) => (received += chunk.length));
  const after: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await startMany(fixture, STARTS_A_ROUND);
    after.push(await memoryMb());
  }
  const figures = [before, ...after].map((mb) => `${mb.toFixed(1)} MB`);
  process.stdout.write(
    `${READERS} readers and ${STALLED} stalled ones: ${figures.join(", ")}; ${(received / 1024 / 1024).toFixed(0)} MB were sent\n`,
  );
  for (const socket of sockets) socket.destroy();
  expect(received).toBeGreaterThan(READERS * ROUNDS * STARTS_A_ROUND * NAME.length);
  // After the buffers have filled in the first rounds, the same work again adds nothing: the limit is far below what was sent.
  expect(after.at(-1)! - after[1]!).toBeLessThan(15);
}, 400_000);
