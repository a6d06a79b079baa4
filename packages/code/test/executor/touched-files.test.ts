import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import type { MergeResult } from "../../src/model/merge-result.ts";
import type { StepMergeRequest } from "../../src/merging/merge-policies.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { template, workspaceOf } from "./memory-scripts.ts";
import type { AgentScript } from "../../src/agents/memory-agents.ts";

/** Lands only after many turns of the event loop, in which other sessions could begin. */
class SlowMerges extends AutoMergePolicy {
  override async mergeStep(request: StepMergeRequest): Promise<MergeResult> {
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    return await super.mergeStep(request);
  }
}

const SAME_FILE = template(`
name: same-file
tasks:
  - { id: left, instructions: l, touches: [a.txt] }
  - { id: right, instructions: r, touches: [a.txt] }
`);

/** An agent that adds a line to `a.txt`. */
function appends(test: () => MemoryExecutor, line: string): AgentScript {
  return ({ request }) => {
    const { workspaces } = test();
    const workspace = workspaceOf(request.workspacePath);
    workspaces.write(workspace, "a.txt", `${workspaces.read(workspace, "a.txt") ?? ""}${line}\n`);
    return undefined;
  };
}

describe("two tasks that touch the same file", () => {
  it("BEYOND-5 never conflict: the later one starts from the landed work of the other", async () => {
    const policy = new SlowMerges();
    await using test: MemoryExecutor = new MemoryExecutor(
      { left: appends(() => test, "left"), right: appends(() => test, "right") },
      { ports: { stepMergePolicy: policy } },
    );
    await test.executor.executeWorkflow(await test.executor.instantiateTemplate(SAME_FILE, {}));
    expect(test.agents.requests.map(({ taskId }) => taskId)).toEqual(["left", "right"]);
    expect(test.repository.read(test.repository.resolve("refs/heads/main")!).files.get("a.txt")).toBe("left\nright\n");
  });

  it("BEYOND-5 the later one runs although the other has failed", async () => {
    await using test: MemoryExecutor = new MemoryExecutor({
      left: () => ({ kind: "failed", reason: "no", isLasting: true }),
      right: appends(() => test, "right"),
    });
    const run = test.executor.executeWorkflow(await test.executor.instantiateTemplate(SAME_FILE, {}));
    await expect(run).rejects.toThrow("no");
    expect(test.agents.requests.map(({ taskId }) => taskId)).toEqual(["left", "right"]);
  });
});
