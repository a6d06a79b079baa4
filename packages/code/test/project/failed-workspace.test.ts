import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadExecutorConfig } from "../../src/config/executor-config.ts";
import { quick } from "../executor/memory-executor.ts";
import { CodeProject } from "./code-project.ts";

describe("the workspace of a failed task", () => {
  it.each([true, false])("CODE-9 CODE-13 with `preserve_on_failure: %s`, its work is not lost", async (isKept) => {
    await using project = new CodeProject();
    const agent = project.agent("agent.sh", "echo work > work.txt; exit 78");
    const config = quick(loadExecutorConfig(`executor: { session: { preserve_on_failure: ${isKept} } }\n`));
    const handle = await project.start(
      `name: x\nagent: a\nagents: { a: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: work }]\n`,
      config,
    );
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_FAILED" });
    const folder = join(project.folder, ".segno/worktrees", handle.id, "one");
    expect(existsSync(join(folder, "work.txt"))).toBe(isKept);
    const kept = project.git("for-each-ref", "--format=%(refname)", `refs/segno/${handle.id}/kept`);
    if (!isKept) expect(project.git("show", `${kept}:work.txt`)).toBe("work");
  });
});
