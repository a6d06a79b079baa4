// The process that the kill test kills: it executes two batches in one file, and records every chunk that it works on.

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { executeBatch } from "../../src/batch.ts";
import { Engine } from "../../src/index.ts";
import { range } from "./fixture.ts";

export const ITEMS = 120;

async function* slowly(): AsyncGenerator<number> {
  for (const item of range(ITEMS)) {
    if (item % 7 === 0) await sleep(1);
    yield item;
  }
}

if (import.meta.filename === process.argv[1]) {
  const [file, log] = process.argv.slice(2) as [string, string];
  await using engine = await Engine.open({ file });
  const noting = (batch: string) => (items: readonly number[]) => {
    appendFileSync(log, `${batch} ${items.join(" ")}\n`);
    return items;
  };
  process.stdout.write("open\n");
  const shared = { engine, concurrency: 3 };
  const chunks = executeBatch(range(ITEMS), {
    ...shared,
    mode: "chunked",
    size: 4,
    id: "chunks",
    process: noting("chunks"),
  });
  const windows = executeBatch(slowly(), {
    ...shared,
    mode: "windowed",
    count: 5,
    time: "2ms",
    id: "windows",
    process: noting("windows"),
  });
  const [{ results: chunked }, { results: windowed }] = await Promise.all([chunks, windows]);
  process.stdout.write(`${JSON.stringify({ chunked, windowed })}\n`);
}
