// Steps returned by an item of a batch or by a task: only a step of a workflow can return steps.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordedLogger } from "@segno/engine/testing";
import { afterAll, describe, expect, it } from "vitest";
import { executeBatch } from "../src/batch.ts";
import { createEngine, WorkflowDefinition } from "../src/engines.ts";
import { expand } from "../src/index.ts";

const SEGNO = new URL("../src/index.ts", import.meta.url).href;
const MESSAGE = "this agent cannot return the result of `expand`: it does not run as a step of a workflow";
const folder = mkdtempSync(join(tmpdir(), "segno-returned-steps-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("steps returned by batches and tasks", () => {
  it("EXPANSION_INVALID fail an item of a batch, once and with a message", async () => {
    let calls = 0;
    const process = (): unknown => (calls++, expand([{ id: "x", exec: ["echo"] }]));
    const result = await executeBatch([1], { mode: "chunked", size: 1, process, retry: { attempts: 3, base: 1 } });
    const failure = { code: "EXPANSION_INVALID", class: "permanent", message: MESSAGE };
    expect(result.errors).toMatchObject([{ failure }]);
    expect(calls).toBe(1);
  });

  it("EXPANSION_INVALID fail a task with a message, in this process and on a thread", async () => {
    const path = join(folder, "plan.mjs");
    writeFileSync(
      path,
      `import { expand } from "${SEGNO}";\nexport default () => expand([{ id: "x", exec: ["echo"] }]);\n`,
    );
    await using engine = createEngine("parallel", { logger: recordedLogger() });
    for (const action of [() => expand([{ id: "x", exec: ["echo"] }]), { module: path }]) {
      const tasks = new WorkflowDefinition("tasks");
      tasks.addTask("a", action);
      const { tasks: results, code, success } = await engine.execute(tasks);
      expect([success, code, results[0]!.state]).toEqual([false, "EXPANSION_INVALID", "FAILED"]);
      expect(results[0]!.error?.message).toBe(MESSAGE);
    }
  });
});
