// The failures that a completed execution tolerated are tried again, and only they (STATE-2, decision 58).

import { expect, it } from "vitest";
import { map, workflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/test-engine.ts";

/** A nightly run over many items. The items in `broken` fail. */
function nightly(count: number, broken: Set<number>, runs: number[]) {
  return workflow("nightly")
    .step("load", () => Array.from({ length: count }, (_, item) => item))
    .step(
      "items",
      { dependsOn: ["load"] },
      map(
        ({ outputs }: { readonly outputs: { readonly load: readonly number[] } }) => outputs.load,
        ({ item }) => {
          runs.push(item);
          if (broken.has(item)) throw new Error(`item ${item} is broken`);
          return item * 2;
        },
        { retry: 1, tolerance: "5%", concurrency: 10 },
      ),
    )
    .step("report", { dependsOn: ["items"] }, ({ outputs }) => outputs.items.filter((each) => each !== null).length)
    .output(({ outputs }) => outputs.report);
}

it("STATE-2 STATE-7 a nightly run of 1,000 items tries its failed items again alone, and reports anew", async () => {
  const broken = new Set([7, 400, 999]);
  const runs: number[] = [];
  const flow = nightly(1000, broken, runs);
  await using test = await openTestEngine({ workflows: [flow] });
  const handle = await test.engine.start(flow);
  expect(await handle.result()).toBe(997);
  expect(await handle.status()).toMatchObject({ toleratedFailures: 3 });
  runs.length = 0;
  broken.delete(400);
  expect(await handle.retry({ tolerated: true })).toEqual({ kind: "accepted" });
  expect(await handle.result()).toBe(998);
  expect(runs).toEqual([7, 400, 999]);
  broken.clear();
  runs.length = 0;
  await test.crash();
  const again = await test.get(handle.id);
  await again.retry({ tolerated: true });
  expect(await again.result()).toBe(1000);
  expect(runs).toEqual([7, 999]);
  expect(await again.retry({ tolerated: true })).toMatchObject({ kind: "ignored", reason: "nothing-tolerated" });
  expect(await test.engine.verify(handle.id)).toMatchObject({ ok: true });
  expect((await test.engine.list()).executions[0]).toMatchObject({ status: "completed", toleratedFailures: 0 });
});

it("OPTION_INVALID `tolerated` is a boolean, and excludes `undo`", async () => {
  await using test = await openTestEngine({});
  const handle = await test.engine.start(workflow("one").step("a", () => 1));
  await handle.result();
  await expect(handle.retry({ tolerated: "yes" as never })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await expect(handle.retry({ tolerated: true, undo: true })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
