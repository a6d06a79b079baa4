// The contract of the port for merges of whole workflows: every policy passes it.

import { describe, expect, it } from "vitest";
import type { WorkflowMergePolicy } from "../../src/merging/merge-policies.ts";
import { workflowBranch } from "../../src/git/branch-names.ts";
import { approved, describeMerges, requestMerge, type MergePort, type TestedMerges } from "./merge-contract.ts";

export function describeWorkflowMerges(name: string, tested: TestedMerges<WorkflowMergePolicy>): void {
  const port: MergePort<WorkflowMergePolicy> = {
    ...tested,
    target: "main",
    source: (workflow) => workflowBranch(workflow === "a" ? "x" : workflow),
    merge: (policy, request) => policy.mergeWorkflow(request),
  };
  describeMerges(`workflow, ${name}`, port);
  describe(`the merge of a workflow (${name})`, () => describeWorkflows(port));
}

function describeWorkflows(port: MergePort<WorkflowMergePolicy>): void {
  it("CODE-1 CODE-3 has a status that names no task, and leaves the branch of the workflow as it is", async () => {
    await using subject = await port.open();
    const policy = port.create();
    const request = approved(await requestMerge(port, subject), port.traits);
    await port.merge(policy, request);
    const status = (await policy.getMergeStatus("x/a"))!;
    expect([status.workflowId, "taskId" in status]).toEqual(["x", false]);
    expect((await subject.vcs.getBranchStatus(request.sourceBranch)).head).toBe(request.sourceHead);
  });

  it("CODE-11 moves the user's folder with the base branch, and waits while it cannot", async () => {
    await using subject = await port.open();
    const { checkout } = subject;
    if (checkout === undefined) return;
    const request = approved(await requestMerge(port, subject, { "a.txt": "two\n" }), port.traits);
    checkout.edit();
    const before = checkout.everything();
    expect(await port.merge(port.create(), request)).toMatchObject({
      success: false,
      waitingFor: { kind: "checkout", retryAfterMs: expect.any(Number) as number },
    });
    expect([checkout.everything(), subject.length("main")]).toEqual([before, 1]);
    checkout.undoEdit();
    expect(await port.merge(port.create(), request)).toMatchObject({ success: true });
    expect([checkout.changedFiles(), subject.length("main")]).toEqual([[], 2]);
  });
}
