import { describe, expect, it } from "vitest";
import { MemoryMergePolicy, type ScriptedMerge } from "../../src/merging/memory-merge-policy.ts";
import { MemoryExecutor } from "../executor/memory-executor.ts";
import { independent, writes } from "../executor/memory-scripts.ts";
import { openMemoryVcs } from "../vcs/memory-vcs-subject.ts";
import { requestMerge, type TestedMerges } from "./merge-contract.ts";
import { describeStepMerges } from "./step-merge-contract.ts";
import { describeWorkflowMerges } from "./workflow-merge-contract.ts";

const TESTED: TestedMerges<MemoryMergePolicy> = {
  traits: { runsChecks: true, needsApproval: false, hasPullRequests: false },
  create: () => new MemoryMergePolicy(),
  open: openMemoryVcs,
};

describeStepMerges("in memory", TESTED);
describeWorkflowMerges("in memory", TESTED);

const CONFLICT: ScriptedMerge = { kind: "conflict", paths: ["a.txt"] };
const FAILED: ScriptedMerge = { kind: "check-failed", command: "npm test", log: "1 is not 2" };
const WAIT: ScriptedMerge = { kind: "wait", waitingFor: { kind: "approval", message: "ok?" } };

describe("a merge policy in memory", () => {
  it("CODE-1 CODE-7 gives the results of its script, one after the other, and then lands", async () => {
    await using subject = await openMemoryVcs();
    const policy = new MemoryMergePolicy({ workflow: [CONFLICT, FAILED, WAIT] });
    const request = await requestMerge({ source: (name) => `task/x-${name}`, target: "workflow/x" }, subject);
    const onto = (await subject.vcs.getBranchStatus("workflow/x")).head;
    const results = [];
    for (let times = 0; times < 4; times++) results.push(await policy.mergeWorkflow(request));
    expect(results).toMatchObject([
      {
        success: false,
        error: { type: "merge_conflict" },
        conflicts: { files: [{ path: "a.txt" }] },
        failed: { onto },
      },
      { success: false, error: { type: "test_failure" }, ciLogs: "1 is not 2", failed: { onto, command: "npm test" } },
      { success: false, waitingFor: { kind: "approval" } },
      { success: true },
    ]);
    expect([policy.requests.length, subject.length("workflow/x")]).toEqual([4, 2]);
  });

  it("CODE-7 lets a workflow repair a conflict and a failed check that a test has scripted", async () => {
    const steps = new MemoryMergePolicy({ tasks: { a: [CONFLICT], b: [FAILED] } });
    const landing = new MemoryMergePolicy();
    const fix = writes(() => test, "fixed.txt", "fixed");
    await using test: MemoryExecutor = new MemoryExecutor(
      { a: writes(() => test, "a.txt", "a"), b: writes(() => test, "b.txt", "b"), "a.fix1": fix, "b.fix1": fix },
      { ports: { stepMergePolicy: steps, workflowMergePolicy: landing } },
    );
    const id = await test.executor.instantiateTemplate(independent("a", "b"), {});
    expect((await test.executor.executeWorkflow(id)).completedTasks).toEqual(["a", "b"]);
    expect(steps.requests.map(({ marker }) => marker.name).toSorted()).toEqual(["a", "a", "b", "b"]);
    expect(landing.requests.map(({ marker }) => marker.name)).toEqual(["_workflow"]);
    const { files } = test.repository.read(test.repository.resolve("refs/heads/main")!);
    expect([...files.keys()].toSorted()).toEqual(["a.txt", "b.txt", "fixed.txt"]);
  });
});
