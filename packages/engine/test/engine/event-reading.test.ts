// Reading the events of an execution from a place on, and leaving before it ends (EVENT-1).

import { Engine, waitForSignal, workflow } from "@segno/engine";
import { expect, it } from "vitest";

const HELLO = workflow("hello").step("say", () => "hello");
const WAITS = workflow("waits").step("go", waitForSignal("go"));

async function readAll(events: AsyncIterable<{ readonly seq: number }>): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) seqs.push(seq);
  return seqs;
}

it("EVENT-1 events are read after a number, and the reading ends with the execution, also if nothing is left", async () => {
  await using engine = await Engine.open({ store: "none" });
  const handle = await engine.start(HELLO);
  await handle.result();
  const read = (after: number): Promise<readonly number[]> => readAll(handle.events({ after }));
  const all = await read(0);
  expect(await read(2)).toEqual(all.slice(2));
  expect(await read(all.length)).toEqual([]);
});

it("EVENT-1 the reading ends when its signal aborts, also while it waits", async () => {
  await using engine = await Engine.open({ store: "none" });
  const handle = await engine.start(WAITS);
  const leaving = new AbortController();
  let count = 0;
  for await (const _ of handle.events({ signal: leaving.signal }))
    if (count++ === 0) setTimeout(() => leaving.abort(), 50);
  expect(count).toBeGreaterThan(0);
  expect(await readAll(handle.events({ signal: AbortSignal.abort() }))).toEqual([]);
});

it("EVENT-1 an unknown option of the reading is refused", async () => {
  await using engine = await Engine.open({ store: "none" });
  const handle = await engine.start(WAITS);
  expect(() => handle.events({ from: 3 } as object)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
});
