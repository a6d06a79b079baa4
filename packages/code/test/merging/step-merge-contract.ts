// The contract of the port for merges of steps: every policy passes it.

import { describe, expect, it } from "vitest";
import type { MergePolicyRequest, StepMergePolicy, StepMergeRequest } from "../../src/merging/merge-policies.ts";
import type { CodeTask } from "../../src/model/task.ts";
import { taskBranch, workflowBranch } from "../../src/git/branch-names.ts";
import { approved, describeMerges, requestMerge, type MergePort, type TestedMerges } from "./merge-contract.ts";

function ofTask(request: MergePolicyRequest): StepMergeRequest {
  const { name } = request.marker;
  const texts = { title: name, instructions: "", acceptanceCriteria: [], type: "task", priority: 0, context: {} };
  const task: CodeTask = {
    id: name,
    workflowId: "x",
    ...texts,
    status: "in_progress",
    dependencies: [],
    blockedTasks: [],
  };
  return { ...request, task };
}

export function describeStepMerges(name: string, tested: TestedMerges<StepMergePolicy>): void {
  const port: MergePort<StepMergePolicy> = {
    ...tested,
    target: workflowBranch("x"),
    source: (task) => taskBranch("x", task),
    merge: (policy, request) => policy.mergeStep(ofTask(request)),
  };
  describeMerges(`step, ${name}`, port);
  describe(`the merge of a step (${name})`, () => describeSteps(port));
}

function describeSteps(port: MergePort<StepMergePolicy>): void {
  it("CODE-1 CODE-3 has a status that names the task, and leaves the base branch as it is", async () => {
    await using subject = await port.open();
    const { head } = await subject.vcs.getBranchStatus("main");
    const policy = port.create();
    await port.merge(policy, approved(await requestMerge(port, subject), port.traits));
    expect(await policy.getMergeStatus("x/a")).toMatchObject({ mergeId: "x/a", taskId: "a", workflowId: "x" });
    expect((await subject.vcs.getBranchStatus("main")).head).toBe(head);
  });
}
