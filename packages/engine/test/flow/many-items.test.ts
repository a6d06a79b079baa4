// A map of many items: their concurrency, and the memory per item (BEYOND-1).

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { Engine, map, workflow } from "../../src/index.ts";
import { scratchFolder } from "../stores/scratch-folder.ts";

const scratch = scratchFolder();
const ITEMS = 20_000;
const AT_ONCE = 8;
/** The memory of an item while its map runs: its step, its output, and its share of the surrounding structures. */
const ITEM_BYTES_MAX = 600;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe("a map of 20,000 items", () => {
  it("BEYOND-1 runs no more at once than it says, holds little of each, and gives all results in order", async () => {
    await using engine = await Engine.open({ file: scratch.file(), durability: "relaxed" });
    let [running, most, before, during] = [0, 0, 0, 0];
    const built = workflow("many")
      .step(
        "all",
        map(
          function* () {
            for (let n = 0; n < ITEMS; n++) yield n;
          },
          async ({ item }) => {
            most = Math.max(most, ++running);
            if (item === 0) before = heapBytes();
            if (item === ITEMS - 1) during = heapBytes();
            await Promise.resolve();
            running--;
            return item * 2;
          },
          { concurrency: AT_ONCE },
        ),
      )
      .output(({ outputs: { all } }) => ({
        count: all.length,
        isInOrder: all.every((twice, index) => twice === index * 2),
      }));
    const execution = await engine.start(built);
    expect(await execution.result()).toEqual({ count: ITEMS, isInOrder: true });
    expect(most).toBe(AT_ONCE);
    expect((during - before) / ITEMS).toBeLessThan(ITEM_BYTES_MAX);
  });
});
