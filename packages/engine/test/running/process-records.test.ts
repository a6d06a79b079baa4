// A runner that closes removes its process records first, so that the store can be closed after it.

import { expect, it } from "vitest";
import type { ProcessRecords } from "../../src/store/process-records.ts";
import { markedProcesses } from "../../src/runners/process/orphans.ts";
import { useProcessFixture } from "../processes/process-fixture.ts";
import { pollUntil } from "./fixture.ts";

const bench = useProcessFixture();

it("CANCEL-2 a runner has closed when the record of its last command is removed, even one that was being written", async () => {
  const order: string[] = [];
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const { promise: forgotten, resolve: forget } = Promise.withResolvers<void>();
  const records: ProcessRecords = {
    noteProcess: () => (ask(), written),
    forgetProcess: async () => (order.push("forgotten"), forget()),
    processes: async () => [],
  };
  const runner = bench.current.runner({ records });
  bench.current.startScript("sleep 1000", {}, runner);
  await asked;
  const closed = runner.close().then(() => order.push("closed"));
  await pollUntil(async () => (await markedProcesses(bench.current.prefix)).length === 0, "nothing runs any more");
  write();
  await Promise.all([closed, forgotten]);
  expect(order).toEqual(["forgotten", "closed"]);
});
