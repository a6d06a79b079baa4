// segno/engines as people import it: its examples run, and what it exports is all there is.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as engines from "../src/engines.ts";
import { runExample } from "./run-example.ts";

const EXAMPLES = resolve(import.meta.dirname, "../../../examples/engines");
const folder = mkdtempSync(join(tmpdir(), "segno-engines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("segno/engines", () => {
  it("ENGINES-1 ENGINES-2 exports workflows, states and engines", () => {
    const names = ["ExecutionEngine", "ParallelEngine", "SequentialEngine", "TaskState", "WorkflowDefinition"];
    expect(Object.keys(engines).toSorted()).toEqual([...names, "createEngine"].toSorted());
    expect(Object.keys(engines.TaskState)).toHaveLength(6);
  });

  it("ENGINES-3 ENGINES-5 the example runs tasks on threads and in process, skips one and tries one again", async () => {
    const { code, stdout } = await runExample(EXAMPLES, ["engines.ts"]);
    expect(code).toBe(0);
    const [batches, tasks] = [stdout.split("\n").slice(0, 4), stdout.split("\n").slice(5, 10)];
    expect(batches).toEqual(["orders, primes", "total", "alarm", "send"].map((names) => `batch: ${names}`));
    expect(tasks).toEqual([
      "orders: COMPLETED [120,80,45]",
      "primes: COMPLETED 9592",
      "total: COMPLETED 245",
      "alarm: SKIPPED null",
      'send: COMPLETED "sent at call 3"',
    ]);
  });

  it("ENGINES-7 a program ends that never closes its engine in memory, and not before its workflow has ended", async () => {
    const program = `
      import { createEngine, WorkflowDefinition } from "segno/engines";
      const workflow = new WorkflowDefinition();
      const fails = (_, { attempt }) => { if (attempt === 1) throw new Error("again"); };
      workflow.addTask("a", fails, { retries: 1, retryDelay: 0.01 });
      createEngine().executeAsync(workflow).result().then(({ success }) => console.log(success));`;
    expect(await runExample(EXAMPLES, ["--input-type=module", "--eval", program])).toEqual({
      code: 0,
      stdout: "true\n",
    });
  });

  it("ENGINES-7 the durable example goes on after it was killed, and sees what was done before", async () => {
    const file = join(folder, "trip.db");
    const killed = await runExample(EXAMPLES, ["durable.ts", file], (stdout, child) => {
      if (stdout.includes("booking the hotel")) child.kill("SIGKILL");
    });
    expect([killed.code, killed.stdout]).toEqual([null, "booking the flight\nbooking the hotel\n"]);
    const letter = '["Dear guest","the flight is booked","the hotel is booked"]\n';
    expect(await runExample(EXAMPLES, ["durable.ts", file])).toEqual({
      code: 0,
      stdout: `booking the hotel\n${letter}`,
    });
    expect(await runExample(EXAMPLES, ["durable.ts", file])).toEqual({ code: 0, stdout: letter });
  });
});
