import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import type { MergePolicyRequest, StepMergeRequest } from "../../src/merging/merge-policies.ts";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import { ErrorType } from "../../src/model/error-type.ts";
import type { MergeResult } from "../../src/model/merge-result.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { template, workspaceOf, writes } from "./memory-scripts.ts";

/** The first merge of the task `fixed` fails its tests. */
class OneFailure extends AutoMergePolicy {
  #hasFailed = false;

  override async mergeStep(request: StepMergeRequest): Promise<MergeResult> {
    if (request.task.id !== "fixed" || this.#hasFailed) return await super.mergeStep(request);
    this.#hasFailed = true;
    const { mergeId } = request;
    return { success: false, mergeId, error: { type: ErrorType.TestFailure, message: "a test failed" } };
  }
}

/** Agents that write a file, and see which others work at the same time. */
class Company {
  readonly executor: MemoryExecutor;
  /** The tasks beside which each task has worked. */
  readonly beside = new Map<string, Set<string>>();
  readonly #atWork = new Set<string>();

  constructor(...ids: readonly string[]) {
    this.executor = new MemoryExecutor(Object.fromEntries(ids.map((id) => [id, this.#script])), {
      ports: { stepMergePolicy: new OneFailure() },
    });
  }

  async run(text: string): Promise<void> {
    const { executor } = this.executor;
    await executor.executeWorkflow(await executor.instantiateTemplate(template(text), {}));
    await executor.close();
  }

  readonly #script: AgentScript = async ({ request }) => {
    const { taskId, workspacePath } = request;
    const seen = new Set<string>();
    this.beside.set(taskId, seen);
    this.#atWork.add(taskId);
    for (let turn = 0; turn < 200; turn++) {
      for (const other of this.#atWork) if (other !== taskId) seen.add(other);
      await setImmediate();
    }
    this.#atWork.delete(taskId);
    this.executor.workspaces.write(workspaceOf(workspacePath), `${taskId}.txt`, taskId);
    return undefined;
  };
}

describe("the fix of a task", () => {
  it("CODE-14 runs alone if the task is exclusive", async () => {
    const company = new Company("fixed", "fixed.fix1", "other", "another");
    await company.run(
      "name: x\ntasks:\n  - { id: fixed, instructions: f, exclusive: true }\n  - { id: other, instructions: o }\n  - { id: another, instructions: a }\n",
    );
    expect([...company.beside.get("fixed.fix1")!]).toEqual([]);
    expect([...company.beside.get("another")!]).toEqual(["other"]);
  });

  it("CODE-7 BEYOND-5 comes before the tasks that touch the same files", async () => {
    const company = new Company("fixed", "fixed.fix1", "other");
    await company.run(
      "name: x\ntasks:\n  - { id: fixed, instructions: f, touches: [a.txt] }\n  - { id: other, instructions: o, touches: [a.txt] }\n",
    );
    expect([...company.beside.keys()]).toEqual(["fixed", "fixed.fix1", "other"]);
  });

  it("CODE-4 CODE-7 gets the results of the tasks that the task depends on", async () => {
    const company = new Company("first", "fixed", "fixed.fix1");
    await company.run(
      "name: x\ntasks:\n  - { id: first, instructions: f }\n  - { id: fixed, instructions: f, dependsOn: [first] }\n",
    );
    const fix = company.executor.agents.requests.find(({ taskId }) => taskId === "fixed.fix1")!;
    expect(fix.context.artefacts).toMatchObject({ first: { changedFiles: ["first.txt"] } });
  });
});

/** The first landing fails its tests. */
class OneFailedLanding extends AutoMergePolicy {
  #hasFailed = false;

  override async mergeWorkflow(request: MergePolicyRequest): Promise<MergeResult> {
    if (this.#hasFailed) return await super.mergeWorkflow(request);
    this.#hasFailed = true;
    const { mergeId } = request;
    return { success: false, mergeId, error: { type: ErrorType.TestFailure, message: "a test failed" } };
  }
}

describe("the fix of a landing", () => {
  it("CODE-4 CODE-7 gets the results of all tasks, also of those that were added while the workflow ran", async () => {
    const ids = ["first", "second", "late", "workflow.landing.fix1"];
    const scripts = Object.fromEntries(ids.map((id) => [id, writes(() => test, `${id}.txt`, id)] as const)) as Record<
      string,
      AgentScript
    >;
    const policy = new OneFailedLanding();
    await using test: MemoryExecutor = new MemoryExecutor(scripts, { ports: { workflowMergePolicy: policy } });
    const id = await test.executor.instantiateTemplate(
      template(
        "name: x\ntasks:\n  - { id: first, instructions: f }\n  - { id: second, instructions: s, dependsOn: [first] }\n",
      ),
      {},
    );
    await test.backend.createTask({ id: `${id}-late`, workflowId: id, title: "late", instructions: "l" });
    await test.executor.executeWorkflow(id);
    const fix = test.agents.requests.find(({ taskId }) => taskId === "workflow.landing.fix1")!;
    expect(fix.context.artefacts).toMatchObject({
      first: { changedFiles: ["first.txt"], commit: expect.any(String) as string },
      second: { changedFiles: ["second.txt"] },
      late: { changedFiles: ["late.txt"] },
    });
  });
});
