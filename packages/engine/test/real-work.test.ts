// Virtual time does not pass while functions of steps do real I/O.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { workflow } from "../src/index.ts";
import { openTestEngine } from "../src/testing/index.ts";
import { RealWork } from "../src/testing/real-work.ts";
import { VirtualTime } from "../src/testing/virtual-environment.ts";

const FILE = new URL(import.meta.url);

async function readOften(): Promise<number> {
  for (let read = 0; read < 50; read++) await readFile(FILE);
  return 50;
}

async function fetchOften(): Promise<number> {
  const server = createServer((_, response) => void setTimeout(() => response.end("ok"), 5)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (let call = 0; call < 5; call++) await (await fetch(url)).text();
  server.closeAllConnections();
  server.close();
  return 5;
}

const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  "reads of files": readOften,
  requests: fetchOften,
  "a process": () => promisify(execFile)(process.execPath, ["-e", "setTimeout(() => undefined, 50)"]).then(() => 1),
};

describe("while a function of a step waits for real I/O", () => {
  it.each(Object.entries(WORK))("FAIL-4 virtual time does not pass: %s", async (_, work) => {
    const flow = workflow("flow")
      .step("first", { timeout: "30s" }, async () => void (await work()))
      .step("second", { dependsOn: ["first"], timeout: "30s" }, async () => void (await work()));
    await using test = await openTestEngine();
    const execution = await test.start(flow);
    await test.advance("1h");
    expect((await execution.status()).status).toBe("completed");
  });

  it("`untilIdle` waits for it, and no virtual time passes", async () => {
    await using test = await openTestEngine();
    const before = test.now;
    const execution = await test.start(workflow("flow").step("read", readOften));
    await test.untilIdle();
    expect((await execution.status()).status).toBe("completed");
    expect(test.now).toBe(before);
  });
});

/** Real work of a function that has just begun. */
function beginReading(): { readonly work: RealWork; readonly reading: Promise<unknown> } {
  let isRunning = false;
  const work = new RealWork(() => isRunning);
  work.look();
  isRunning = true;
  return { work, reading: Promise.all([readFile(FILE), readFile(FILE), readFile(FILE)]) };
}

describe("real work", () => {
  it("is what functions have begun, and has not ended", async () => {
    const { work, reading } = beginReading();
    expect(work.look()).toBe(true);
    await reading;
    await vi.waitUntil(() => !work.look());
  });

  it("that takes too long is not waited for again", async () => {
    const { work, reading } = beginReading();
    expect(work.look()).toBe(true);
    work.giveUp();
    expect(work.look()).toBe(false);
    await reading;
  });

  it("that never ends holds up one call for at most 5 seconds in all", async () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    try {
      const giveUp = vi.fn<() => void>();
      const time = new VirtualTime({ look: () => true, giveUp });
      for (const ms of [10, 20, 30]) time.set({ monotonic: time.monotonic + ms, wall: Infinity }, () => undefined);
      await time.advance(60);
      expect(giveUp).toHaveBeenCalled();
      expect(now).toBeLessThan(60_000);
    } finally {
      vi.restoreAllMocks();
    }
  });
});
