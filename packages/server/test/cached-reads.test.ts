// Reads of an execution that has ended come from a cache, and show every change.

import { workflow } from "@segno/engine";
import { expect, it } from "vitest";
import { ServerFixture } from "./server-fixture.ts";

const wait = { headers: { prefer: "wait=30" } };

it("DATA-11 a read shows nothing of payloads that were removed after an earlier read", async () => {
  await using fixture = await ServerFixture.open();
  await fixture.post("/v1/executions", { workflow: "hello", id: "e1", input: { name: "Ada" } }, wait);
  expect((await fixture.call("/v1/executions/e1")).text).toContain("Ada");
  await fixture.engine.removePayloads("e1");
  expect((await fixture.call("/v1/executions/e1")).text).not.toContain("Ada");
  await fixture.engine.remove("e1");
  expect((await fixture.call("/v1/executions/e1")).status).toBe(404);
});

it("HTTP-2 a read shows the end of an execution that was retried after an earlier read", async () => {
  let isBroken = true;
  const flaky = workflow("flaky").step("a", { retry: 1 }, () => {
    if (isBroken) throw new Error("broken");
    return 1;
  });
  await using fixture = await ServerFixture.open({ workflows: [flaky] });
  await fixture.post("/v1/executions", { workflow: "flaky", id: "e1" }, wait);
  expect((await fixture.call("/v1/executions/e1")).json["status"]).toBe("failed");
  isBroken = false;
  expect((await fixture.post("/v1/executions/e1/retry")).json).toEqual({ kind: "accepted" });
  await expect.poll(async () => (await fixture.call("/v1/executions/e1")).json["status"]).toBe("completed");
});
