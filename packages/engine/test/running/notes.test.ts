// The notes of processes when a runner closes: whoever closes the store behind it finds that nobody writes any more.

import { expect, it } from "vitest";
import type { ProcessTable } from "../../src/store/process-table.ts";
import { markedProcesses } from "../../src/runners/process/orphans.ts";
import { workbench } from "../processes/workbench.ts";
import { pollUntil } from "./fixture.ts";

const bench = workbench();

it("CANCEL-2 a runner has closed when the note of its last command is taken back, also one that was being written", async () => {
  const order: string[] = [];
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const { promise: forgotten, resolve: forget } = Promise.withResolvers<void>();
  const table: ProcessTable = {
    noteProcess: () => (ask(), written),
    forgetProcess: async () => (order.push("forgotten"), forget()),
    processes: async () => [],
  };
  const runner = bench.current.runner({ table });
  bench.current.startScript("sleep 1000", {}, runner);
  await asked;
  const closed = runner.close().then(() => order.push("closed"));
  await pollUntil(async () => (await markedProcesses(bench.current.prefix)).length === 0, "nothing runs any more");
  write();
  await Promise.all([closed, forgotten]);
  expect(order).toEqual(["forgotten", "closed"]);
});
