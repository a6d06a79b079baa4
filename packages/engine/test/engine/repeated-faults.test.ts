// A store that fails continuously is not reported continuously.

import { durationMs, stepId, type Definition } from "@segno/kernel";
import { expect, it } from "vitest";
import { Engine } from "../../src/api/engine.ts";
import { StoreFault } from "../../src/store/store-fault.ts";
import type { CommitBatch } from "../../src/store/store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { VirtualEnvironment, VirtualTime } from "../../src/testing/virtual-environment.ts";

const WAIT: Definition = {
  name: "wait",
  steps: [{ id: stepId("wait"), action: { kind: "wait", on: "duration", for: durationMs(1000) } }],
};

class FullStore extends MemoryStore {
  isFull = false;
  refused = 0;

  override async commit(batch: CommitBatch): Promise<void> {
    if (!this.isFull) return super.commit(batch);
    this.refused++;
    throw new StoreFault("STORE_FULL", "the disk is full");
  }
}

it("EVENT-5 a disk that is full for all executions is reported once a minute, with how often it was not", async () => {
  const [time, store] = [new VirtualTime(), new FullStore()];
  const told: string[] = [];
  const engine = await Engine.open({
    store,
    environment: new VirtualEnvironment(time),
    onFault: (error, _, suppressed) => told.push(`${(error as StoreFault).code} ${suppressed}`),
  });
  for (let count = 0; count < 100; count++) await engine.start(WAIT);
  await time.untilIdle();
  store.isFull = true;
  await time.advance(30_000);
  expect(store.refused).toBeGreaterThan(10);
  expect(told).toEqual(["STORE_FULL 0"]);
  await time.advance(31_000);
  expect(told).toHaveLength(2);
  expect(told[1]).toMatch(/^STORE_FULL [1-9]\d{2,}$/u);
  store.isFull = false;
  await time.advance(2000);
  expect((await engine.list({ status: ["completed"] })).executions).toHaveLength(100);
  await engine.close();
});
