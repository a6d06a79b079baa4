// Several real processes on one file, ended by kill -9.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { StoreOwnership } from "../../src/store/sqlite/store-ownership.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { bundleProgram } from "../bundled-program.ts";
import { expectAt, loaded } from "./contract/claim.ts";
import { append, batch } from "./contract/sample.ts";
import { scratchFolder } from "./scratch-folder.ts";

const scratch = scratchFolder();
const PROCESS = bundleProgram(fileURLToPath(new URL("store-process.ts", import.meta.url)));
const running = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of running) await kill(child);
});

function start(...task: readonly string[]): { child: ChildProcess; lines: AsyncIterator<string> } {
  const child = spawn(process.execPath, [PROCESS, ...task], { stdio: ["pipe", "pipe", "inherit"] });
  running.add(child);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

it("LEASE-1 a file has one owner, and is free the moment its owner is killed", async () => {
  const file = scratch.file();
  const mine = new StoreOwnership(file);
  const other = start("own", file);
  expect((await other.lines.next()).value).toBe("owner");
  expect([await mine.tryOwn(), mine.isOwner]).toEqual([false, false]);
  await kill(other.child);
  expect([await mine.tryOwn(), mine.isOwner, await mine.tryOwn()]).toEqual([true, true, true]);
  expect((await start("own", file).lines.next()).value).toBe("not owner");
  expect(await new StoreOwnership(file).tryOwn()).toBe(false);
  mine.release();
  expect((await start("own", file).lines.next()).value).toBe("owner");
  expect(statSync(`${file}-owner`).mode & 0o777).toBe(0o600);
});

it("LEASE-5 what another process posts is seen by the owner's next poll", async () => {
  const file = scratch.file();
  const owner = scratch.closing(await openSqliteStore(file));
  const lock = new StoreOwnership(file);
  expect(await lock.tryOwn()).toBe(true);
  await owner.commit(batch(append("a", 0)));
  expect((await owner.poll()).messages).toEqual([]);
  const { child, lines } = start("post", file, "3");
  expect((await lines.next()).value).toBe("posted");
  const { messages } = await owner.poll();
  expect(messages.map(({ body }) => body)).toEqual([0, 1, 2].map((index) => `${child.pid} ${index}`));
  await owner.commit({ appends: [append("a", 2)], consumedMessages: messages.map(({ id }) => id) });
  expect((await owner.poll()).messages).toEqual([]);
  lock.release();
});

it("LEASE-5 processes that open a new file at the same time lose nothing that they post", async () => {
  const file = scratch.file();
  const posters = Array.from({ length: 4 }, () => start("post", file, "25"));
  for (const { lines } of posters) expect((await lines.next()).value).toBe("posted");
  const { messages } = await scratch.closing(await openSqliteStore(file)).poll();
  expect(messages).toHaveLength(100);
  for (const { child } of posters) {
    const own = messages.map(({ body }) => body).filter((body) => body.startsWith(`${child.pid} `));
    expect(own).toEqual(Array.from({ length: 25 }, (_, index) => `${child.pid} ${index}`));
  }
});

it("JOURNAL-3 what was acknowledged is there after kill -9, and no part of anything else", async () => {
  const file = scratch.file();
  let stored = 0;
  for (let round = 0; round < 8; round++) {
    const { child, lines } = start("append", file, String(stored));
    let acknowledged = 0;
    for (let line = 0; line < 20 + 7 * round; line++) acknowledged = Number((await lines.next()).value);
    await kill(child);
    const store = await openSqliteStore(file);
    const { projection } = await loaded(store, "a");
    expect(projection.seq).toBeGreaterThanOrEqual(acknowledged);
    await expectAt(store, "a", projection.seq);
    await expectAt(store, "b", projection.seq - 2);
    stored = projection.seq;
    await store.close();
  }
});

it.each(["main", "thread"])("N1 processes that were noted are there after kill -9, on the %s", async (writer) => {
  const file = scratch.file();
  const { child, lines } = start("note", file, writer);
  let noted = 0;
  for (let line = 0; line < 30; line++) noted = Number((await lines.next()).value);
  await kill(child);
  const entries = await scratch.closing(await openSqliteStore(file)).processes();
  const markers = entries.map(({ marker }) => marker);
  expect(markers).toEqual(expect.arrayContaining(Array.from({ length: noted }, (_, index) => `m${index + 1}`)));
});

it("K14 processes that add to one document lose no addition, and kill -9 loses none that was acknowledged", async () => {
  const file = scratch.file();
  const acknowledged: number[] = [];
  let kills = 0;
  for (let round = 0; round < 3; round++) {
    const counters = ["main", "thread"].map((writer) => start("count", file, writer));
    for (const { lines } of counters)
      for (let line = 0; line < 20 + 7 * round; line++) acknowledged.push(Number((await lines.next()).value));
    for (const { child, lines } of counters) {
      await kill(child);
      kills += 1;
      for (let line = await lines.next(); line.done !== true; line = await lines.next())
        acknowledged.push(Number(line.value));
    }
  }
  const { documents } = scratch.closing(await openSqliteStore(file));
  const sum = Number(await documents.get("counter", "sum"));
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(Math.max(...acknowledged)).toBeLessThanOrEqual(sum);
  // A killed process may have made one addition that it did not acknowledge.
  expect(sum - acknowledged.length).toBeLessThanOrEqual(kills);
});
