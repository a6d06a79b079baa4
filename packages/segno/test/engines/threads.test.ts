// Modules on real worker threads; no test waits for a clock.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { createEngine, WorkflowDefinition, type ParallelEngineOptions } from "../../src/engines.ts";
import { recordedLogger } from "@segno/engine/testing";
import { taskStates, toTask, toWorkflow } from "./fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-engines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let modules = 0;

function writeModule(text: string): URL {
  const file = join(folder, `module-${++modules}.mjs`);
  writeFileSync(file, text);
  return pathToFileURL(file);
}

function openEngine(options: ParallelEngineOptions = {}): ReturnType<typeof createEngine> {
  return createEngine("parallel", { logger: recordedLogger(), ...options });
}

describe("a module", () => {
  it("ENGINES-3 ruling 40 runs on a thread of its own, while a function runs in this one", async () => {
    await using engine = openEngine();
    const module = writeModule(`import { threadId } from "node:worker_threads"; export default () => threadId;`);
    const result = await engine.execute(toWorkflow(["module", { module }], ["function", () => threadId]));
    expect(toTask(result, "function").output).toBe(threadId);
    expect(toTask(result, "module").output).not.toBe(threadId);
  });

  it("ENGINES-4 gets the whole context, of its own, by URL or path, by the name of an export", async () => {
    await using engine = openEngine();
    const text = `export function work(context) { const copy = { ...context }; context.new = 1; return copy; }`;
    const path = new URL(writeModule(text)).pathname;
    const workflow = new WorkflowDefinition();
    workflow.addTask("__proto__", () => ({ a: 1 }), { id: "1" });
    workflow.addTask("skipped", () => 1, { condition: () => false });
    workflow.addTask("module", { module: path, export: "work" }, { id: "2", dependencies: ["1", "skipped"] });
    workflow.addTask("end", (context) => "new" in context, { id: "3", dependencies: ["2"] });
    const result = await engine.execute(workflow, { given: [1] });
    expect(result.error).toBeNull();
    const expected = Object.fromEntries([
      ["given", [1]],
      ["1", { a: 1 }],
      ["__proto__", { a: 1 }],
    ]);
    expect(toTask(result, "module").output).toEqual(expected);
    expect(toTask(result, "end").output).toBe(false);
  });

  it("ENGINES-3 as many run at once as there are workers, on as many threads", async () => {
    await using engine = openEngine({ maxWorkers: 3 });
    // Each ends only when all three have begun.
    const shared = `
      import { BroadcastChannel, threadId } from "node:worker_threads";
      export default () => new Promise((resolve) => {
        const channel = new BroadcastChannel("all here");
        const here = new Set([threadId]);
        const done = () => { if (here.size === 3) setImmediate(() => { channel.close(); resolve(threadId); }); };
        channel.onmessage = ({ data }) => { if (!here.has(data)) { here.add(data); channel.postMessage(threadId); } done(); };
        channel.postMessage(threadId);
      });`;
    const module = writeModule(shared);
    const result = await engine.execute(toWorkflow(["a", { module }], ["b", { module }], ["c", { module }]));
    expect(new Set(result.tasks.map(({ output }) => output)).size).toBe(3);
  });

  it("ENGINES-4 its lines and what it writes go to the log of its task", async () => {
    const logger = recordedLogger();
    await using engine = openEngine({ logger });
    const module = writeModule(`export default (_, { log }) => { log.warn("a line"); console.log("written"); };`);
    await engine.execute(toWorkflow(["module", { module }]));
    const lines = logger.lines.filter(({ fields }) => fields["step"] === "module").map(({ message }) => message);
    expect(lines).toEqual(expect.arrayContaining(["a line", "written"]));
  });
});

describe("a module that goes wrong", () => {
  it("ENGINES-5 is tried again, whatever it throws, and its last error is the task's", async () => {
    await using engine = openEngine();
    const module = writeModule(`export default (_, { attempt }) => { throw new TypeError("attempt " + attempt); };`);
    const result = await engine.execute(toWorkflow(["module", { module }, { retries: 2, retryDelay: 0 }]));
    const error = { code: "TypeError", message: "attempt 3" };
    expect(toTask(result, "module")).toMatchObject({ state: "FAILED", attempts: 3, error });
  });

  it.each([
    ["a file that is not there", new URL("file:///nowhere/at-all.mjs"), "AGENT_MODULE_MISSING"],
    ["no such export", writeModule(`export const other = () => 1;`), "AGENT_MODULE_INVALID"],
    ["an export that is no function", writeModule(`export default 7;`), "AGENT_MODULE_INVALID"],
    ["a thread that ends", writeModule(`export default () => process.exit(3);`), "THREAD_EXITED"],
    ["an output that is not JSON", writeModule(`export default () => new Map();`), "OUTPUT_NOT_JSON"],
  ])("ENGINES-6 fails its task: %s", async (_, module, code) => {
    await using engine = openEngine();
    const result = await engine.execute(toWorkflow(["module", { module }]));
    expect(toTask(result, "module")).toMatchObject({ state: "FAILED", error: { code } });
  });

  it("ENGINES-3 one that never ends is ended with its thread, at once, when another task fails", async () => {
    const logger = recordedLogger();
    await using engine = openEngine({ logger, grace: 3600 });
    const module = writeModule(`export default (_, { log }) => { log.info("spinning"); for (;;); };`);
    const fails = async (): Promise<never> => {
      while (!logger.lines.some(({ message }) => message === "spinning"))
        await new Promise<void>((resolve) => void setImmediate(resolve));
      throw new Error("no");
    };
    const result = await engine.execute(toWorkflow(["module", { module }], ["function", fails]));
    expect(taskStates(result)).toEqual({ module: "CANCELLED", function: "FAILED" });
  });

  it("ENGINES-6 a handle cancels it, and closing the engine ends it", async () => {
    const module = writeModule(`export default () => { for (;;); };`);
    await using engine = openEngine({ grace: 3600 });
    const handle = engine.executeAsync(toWorkflow(["module", { module }]));
    await handle.cancel();
    expect(taskStates(await handle.result())).toEqual({ module: "CANCELLED" });
    const left = engine.executeAsync(toWorkflow(["module", { module }]));
    await left.execution();
    await engine.close();
    await expect(left.result()).rejects.toMatchObject({ code: "ENGINE_CLOSED" });
  });
});
