// Maps on a real engine: order, tolerance, new rounds, cancellation, and the view of a single item (BEYOND-1).

import { PermanentError } from "@segno/kernel";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Engine, map, workflow, type ExecutionHandle, type ItemContext, type MapOptions } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { readHistory } from "../engine/sample-flow.ts";
import { gate, statuses } from "./fixture.ts";

/** Shares that are whole numbers of items, and are slightly less in binary. */
const SHARES: [number, number][] = [
  [100, 29],
  [50, 14],
  [100, 57],
];

const orders = fc
  .integer({ min: 1, max: 9 })
  .chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count }));

/** The items that succeeded, in order of success. */
async function readEnds(execution: ExecutionHandle<unknown>): Promise<readonly string[]> {
  const history = await readHistory(execution);
  return history.flatMap(({ kind, step }) => (kind === "step.completed" && step?.startsWith("all/") ? [step] : []));
}

describe("the results of a map", () => {
  it("BEYOND-1 stand in the order of the items, in whatever order those end", async () => {
    await using test = await openTestEngine();
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const ends = order.map(() => Promise.withResolvers<void>());
        const built = workflow("race")
          .step(
            "all",
            map([...order.keys()], async ({ item }) => {
              await ends[item]!.promise;
              return `item ${item}`;
            }),
          )
          .output(({ outputs }) => outputs.all);
        const execution = await test.start(built);
        for (const index of order) {
          await test.untilIdle();
          ends[index]!.resolve();
        }
        expect(await execution.result()).toEqual([...order.keys()].map((index) => `item ${index}`));
        expect(await readEnds(execution)).toEqual(order.map((index) => `all/${index}`));
      }),
      { numRuns: 30 },
    );
  });
});

describe("the tolerance of a map", () => {
  /** The end of an execution with a number of failed items. */
  async function readEnd(
    items: number,
    failed: number,
    tolerance: NonNullable<MapOptions["tolerance"]>,
  ): Promise<string> {
    await using engine = await Engine.open({ store: "none" });
    const list = [...Array(items).keys()];
    const work = ({ item }: { readonly item: number }): number => {
      if (item < failed) throw new PermanentError("never");
      return item;
    };
    const execution = await engine.start(
      workflow("some")
        .step("all", map(list, work, { tolerance }))
        .output(({ outputs }) => outputs.all),
    );
    return await execution.result().then(
      (result) => JSON.stringify(result),
      () => "failed",
    );
  }

  const toResult = (items: number, failed: number): string =>
    JSON.stringify([...Array(items).keys()].map((index) => (index < failed ? null : index)));

  it("BEYOND-1 by count allows exactly so many failures, which are null", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.nat({ max: 12 }), async (items, tolerance) => {
        const allowed = Math.min(items, tolerance);
        expect(await readEnd(items, allowed, tolerance)).toBe(toResult(items, allowed));
        if (allowed < items) expect(await readEnd(items, allowed + 1, tolerance)).toBe("failed");
      }),
      { numRuns: 20 },
    );
  });

  it("BEYOND-1 by share allows exactly so many of a hundred, rounded down", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.nat({ max: 100 }), async (items, percent) => {
        const allowed = Math.floor((items * percent) / 100);
        expect(await readEnd(items, allowed, `${percent}%`)).toBe(toResult(items, allowed));
        if (allowed < items) expect(await readEnd(items, allowed + 1, `${percent}%`)).toBe("failed");
      }),
      { numRuns: 20, examples: SHARES },
    );
  });
});

describe("a new round of a map", () => {
  it("STATE-2 runs the items that failed or never ran, and none that succeeded, also after a restart", async () => {
    const runs: number[] = [];
    const failing = new Set([2, 3]);
    let reads = 0;
    const built = workflow("rounds")
      .step(
        "all",
        map(
          () => [reads++, 1, 2, 3, 4],
          ({ item }) => {
            runs.push(item);
            if (failing.delete(item)) throw new PermanentError(`not ${item}`);
            return item * 10;
          },
          { concurrency: 1 },
        ),
      )
      .output(({ outputs }) => outputs.all);
    await using test = await openTestEngine({ workflows: [built] });
    const { id } = await test.start(built);
    await test.untilIdle();
    expect(runs.splice(0)).toEqual([0, 1, 2]);
    await (await test.get(id)).retry();
    await test.untilIdle();
    expect(runs.splice(0)).toEqual([2, 3]);
    await test.crash();
    const execution = await test.get(id);
    await execution.retry();
    expect(await execution.result()).toEqual([0, 10, 20, 30, 40]);
    expect([runs, reads]).toEqual([[3, 4], 1]);
  });
});

describe("a single item", () => {
  it("STATE-9 is seen by its name: how it is, what it gave, why it failed and what it is called", async () => {
    await using test = await openTestEngine();
    const work = ({ item }: { readonly item: string }): string => {
      if (item === "Rome") throw new PermanentError("closed");
      return item.toUpperCase();
    };
    const cities = ["Oslo", "Rome"];
    const built = workflow("cities").step("all", map(cities, work, { tolerance: 1, label: "${ item }" }));
    const execution = await test.start(built);
    await execution.result();
    const { steps } = await execution.status();
    expect(steps.find(({ name }) => name === "all/0")).toMatchObject({
      status: "succeeded",
      attempts: 1,
      label: "Oslo",
      detail: { output: { json: "OSLO" } },
    });
    expect(steps.find(({ name }) => name === "all/1")).toMatchObject({
      status: "failed",
      label: "Rome",
      detail: { failure: { code: "PermanentError", message: "closed" } },
    });
  });

  it("CANCEL-2 CANCEL-4 that runs is told to stop when its execution is cancelled, and one that waits never begins", async () => {
    await using engine = await Engine.open({ store: "none" });
    const begun = gate(2);
    const stopped: number[] = [];
    const work = ({ item, signal }: ItemContext<number>): Promise<never> => {
      begun.arrive();
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => {
          stopped.push(item);
          reject(signal.reason);
        }),
      );
    };
    const execution = await engine.start(workflow("stops").step("all", map([0, 1, 2, 3], work, { concurrency: 2 })));
    await begun.reached;
    await execution.cancel({ reason: "enough" });
    await expect(execution.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
    expect(stopped).toEqual([0, 1]);
    const { all, "all/0": first, "all/3": last } = await statuses(execution);
    expect([all, first, last]).toEqual(["cancelled", "cancelled", "cancelled"]);
    const attempts = (await execution.status()).steps.map(({ attempts: tried }) => tried);
    expect(attempts).toEqual([1, 0, 1, 1, 0, 0]);
  });
});
