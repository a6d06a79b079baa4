import { describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { template, workspaceOf, writes } from "./memory-scripts.ts";

const DIAMOND = template(`
name: diamond
tasks:
  - { id: model, instructions: the model }
  - { id: api, instructions: the API, dependsOn: [model] }
  - { id: page, instructions: the page, dependsOn: [model] }
  - { id: tests, instructions: the tests, dependsOn: [api, page] }
`);

describe("a workflow executor with ports in memory", () => {
  it("CODE-14 runs a template and lands every task on the base branch", async () => {
    const tasks = ["model", "api", "page", "tests"];
    await using test: MemoryExecutor = new MemoryExecutor(
      Object.fromEntries(tasks.map((id) => [id, writes(() => test, `${id}.txt`, id)])),
    );
    const id = await test.executor.instantiateTemplate(DIAMOND, {});
    const result = await test.executor.executeWorkflow(id);
    expect(result).toEqual({ success: true, workflowId: id, completedTasks: tasks });
    expect([...test.repository.read(test.repository.resolve("refs/heads/main")!).files.keys()]).toEqual(
      tasks.map((task) => `${task}.txt`).toSorted(),
    );
    expect(test.repository.refs("refs/heads/task/")).toEqual([]);
  });

  it("CODE-7 repairs a conflict by a fix task and lands both sides", async () => {
    const both = template(
      "name: both\ntasks:\n  - { id: left, instructions: left }\n  - { id: right, instructions: right }\n",
    );
    const fix: AgentScript = ({ request }) => {
      const workspace = workspaceOf(request.workspacePath);
      expect(request.context.fix?.conflicts?.files.map(({ path }) => path)).toEqual(["a.txt"]);
      expect(test.workspaces.read(workspace, "a.txt")).toContain("<<<<<<<");
      test.workspaces.write(workspace, "a.txt", "left and right");
      return undefined;
    };
    await using test: MemoryExecutor = new MemoryExecutor({
      left: writes(() => test, "a.txt", "left"),
      right: writes(() => test, "a.txt", "right"),
      "left.fix1": fix,
      "right.fix1": fix,
    });
    const id = await test.executor.instantiateTemplate(both, {});
    await test.executor.executeWorkflow(id);
    const main = test.repository.read(test.repository.resolve("refs/heads/main")!);
    expect(main.files.get("a.txt")).toBe("left and right");
    expect(test.agents.requests).toHaveLength(3);
  });
});
