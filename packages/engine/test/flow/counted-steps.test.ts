// The steps that people wrote are counted; internal steps and items are not (EVENT-1).

import { expect, it } from "vitest";
import { map, workflow } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/test-engine.ts";

const NIGHTLY = workflow("nightly")
  .step("load", () => "loaded")
  .step(
    "orders",
    { dependsOn: ["load"] },
    map([1, 2, 3], ({ item }) => item),
  )
  .step("report", { dependsOn: ["orders"] }, () => "sent")
  .output(({ outputs }) => outputs.report);

it("EVENT-1 a list counts the steps that people wrote, without `_output`, the source of a map and its items", async () => {
  await using test = await openTestEngine();
  await (await test.engine.start(NIGHTLY)).result();
  const { executions } = await test.engine.list();
  expect(executions.map(({ steps }) => steps)).toEqual([{ total: 3, ended: 3 }]);
});

it("EVENT-1 `why` does not list an internal step that waits for others", async () => {
  await using test = await openTestEngine();
  const waiting = workflow("waiting")
    .step("long", async () => await new Promise<string>(() => {}))
    .output(({ outputs }) => outputs.long);
  const { id } = await test.engine.start(waiting);
  await test.untilIdle();
  expect((await test.engine.why(id)).map(({ step }) => step)).toEqual(["long"]);
});
