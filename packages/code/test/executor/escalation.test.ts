import { describe, expect, it } from "vitest";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../../src/config/executor-config.ts";
import type { StepMergeRequest } from "../../src/merging/merge-policies.ts";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import { ErrorType } from "../../src/model/error-type.ts";
import type { MergeResult } from "../../src/model/merge-result.ts";
import type { CodeTemplate } from "../../src/template/template.ts";
import { MemoryExecutor, quick } from "./memory-executor.ts";
import { independent, workspaceOf, writes } from "./memory-scripts.ts";

const CONFLICT = independent("left", "right");

function withIntegration(changes: Partial<ExecutorConfig["integration"]>): ExecutorConfig {
  const config = quick(EXECUTOR_DEFAULTS);
  return { ...config, integration: { ...config.integration, ...changes } };
}

/** Both tasks write the same file. A fix writes another one, or leaves the conflict in another file each time. */
function conflicting(fix: (number: number) => AgentScript, config: ExecutorConfig): MemoryExecutor {
  const fixes = ["left", "right"].flatMap((task) => [1, 2, 3].map((n) => [`${task}.fix${n}`, fix(n)] as const));
  const test: MemoryExecutor = new MemoryExecutor(
    {
      left: writes(() => test, "a.txt", "left"),
      right: writes(() => test, "a.txt", "right"),
      ...Object.fromEntries(fixes),
    },
    { config },
  );
  return test;
}

/** The checks of every merge fail in the same way. */
class RedPolicy extends AutoMergePolicy {
  override async mergeStep({ mergeId }: StepMergeRequest): Promise<MergeResult> {
    const error = { type: ErrorType.TestFailure, message: "the tests are red" };
    return { success: false, mergeId, error, ciLogs: "1 of 7 tests failed" };
  }
}

async function expectEscalation(test: MemoryExecutor, chosen: CodeTemplate = CONFLICT): Promise<string> {
  const id = await test.executor.instantiateTemplate(chosen, {});
  await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({ code: "TASK_ESCALATED" });
  return id;
}

const fixCount = (test: MemoryExecutor): number =>
  test.agents.requests.filter(({ taskId }) => /\.fix\d$/u.test(taskId)).length;

describe("a task that cannot be merged", () => {
  it("CODE-7 is escalated when the budget of fixes is used up", async () => {
    // Each fix repairs the conflict, and meanwhile the workflow branch gets another one.
    const fix = (n: number): AgentScript => {
      return ({ request: { workspacePath, context } }) => {
        const workspace = workspaceOf(workspacePath);
        for (const { path } of context.fix!.conflicts!.files) test.workspaces.write(workspace, path, `fixed ${n}`);
        test.workspaces.write(workspace, `b${n}.txt`, "task");
        test.repository.commitOn(context.workflow.workflowBranch, { [`b${n}.txt`]: "somebody" });
        return undefined;
      };
    };
    await using test = conflicting(fix, withIntegration({ maxFixAttempts: 2 }));
    await expectEscalation(test);
    expect(fixCount(test)).toBe(2);
  });

  it("CODE-7 is escalated early if a fix leaves the failure as it was", async () => {
    const scripts = ["left", "left.fix1", "left.fix2", "left.fix3"].map(
      (id) => [id, writes(() => test, id, id)] as const,
    );
    await using test: MemoryExecutor = new MemoryExecutor(Object.fromEntries(scripts), {
      config: withIntegration({ maxFixAttempts: 3 }),
      ports: { stepMergePolicy: new RedPolicy() },
    });
    await expectEscalation(test, independent("left"));
    expect(fixCount(test)).toBe(1);
  });

  it("CODE-13 is escalated at once if fix tasks are switched off", async () => {
    await using test = conflicting(() => () => undefined, withIntegration({ autoCreateFixTasks: false }));
    await expectEscalation(test);
    expect(fixCount(test)).toBe(0);
  });

  it("CODE-7 waits for a person, and the workflow can be executed again meanwhile", async () => {
    await using test = conflicting(() => () => undefined, withIntegration({ autoCreateFixTasks: false }));
    const id = await expectEscalation(test);
    await expect(test.executor.executeWorkflow(id)).rejects.toMatchObject({ code: "TASK_ESCALATED" });
    expect(await test.executor.getWorkflowStatus(id)).toMatchObject({ state: "running", tasksDone: 1, tasksAll: 2 });
  });

  it("CODE-8 fails the workflow if its agent fails for good", async () => {
    await using test = new MemoryExecutor({
      left: () => ({ kind: "failed", reason: "no permission", isLasting: true }),
    });
    const id = await test.executor.instantiateTemplate(CONFLICT, {});
    await expect(test.executor.executeWorkflow(id)).rejects.toThrow("no permission");
    expect(await test.executor.getWorkflowStatus(id)).toMatchObject({ state: "failed" });
    expect((await test.backend.getTask(`${id}-left`))!).toMatchObject({ status: "failed", error: "no permission" });
  });
});

describe("a merge whose error is to be retried", () => {
  it("CODE-13 is tried again instead of fixed, and is then escalated", async () => {
    let merges = 0;
    class CountedPolicy extends RedPolicy {
      override mergeStep(request: StepMergeRequest): Promise<MergeResult> {
        merges++;
        return super.mergeStep(request);
      }
    }
    const config = quick(EXECUTOR_DEFAULTS);
    await using test: MemoryExecutor = new MemoryExecutor(
      { left: writes(() => test, "a.txt", "left") },
      {
        config: { ...config, retry: { ...config.retry, maxAttempts: 4, retryableErrors: [ErrorType.TestFailure] } },
        ports: { stepMergePolicy: new CountedPolicy() },
      },
    );
    await expectEscalation(test, independent("left"));
    expect([merges, fixCount(test)]).toEqual([4, 0]);
  });
});
