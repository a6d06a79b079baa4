import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadExecutorConfig } from "../../src/config/executor-config.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { independent } from "./memory-scripts.ts";

describe("the streams of an executor", () => {
  it.each([true, false])("CODE-13 EVENT-3 get the events of its workflows if `enabled` is %s", async (enabled) => {
    const folder = mkdtempSync(join(tmpdir(), "segno-streams-"));
    const path = join(folder, "events.log");
    const yaml = `executor: { events: { enabled: ${enabled}, streams: [{ type: file, path: "${path}" }] } }\n`;
    const test = new MemoryExecutor({}, { config: loadExecutorConfig(yaml) });
    const id = await test.executor.instantiateTemplate(independent("a"), {});
    await test.executor.executeWorkflow(id);
    await test.executor.close();
    const read = (): readonly string[] => readFileSync(path, "utf8").match(/(?<="message":")[^"]*/gu) ?? [];
    if (enabled) expect(read()).toEqual(expect.arrayContaining(["Task scheduled", "Merge completed"]));
    else expect(read).toThrow(/ENOENT/u);
    expect(test.executor.metrics().workflows_completed).toBe(1);
    rmSync(folder, { recursive: true });
  });
});
