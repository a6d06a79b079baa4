// The policies that ship, on real git.

import { mergePolicy } from "../../src/merging/policies.ts";
import type { StepMergePolicy, WorkflowMergePolicy } from "../../src/merging/merge-policies.ts";
import type { MergePolicyName } from "../../src/model/merge-policy-name.ts";
import { openGitVcs } from "../vcs/git-vcs-subject.ts";
import type { MergeSubject, MergeTraits, TestedMerges, UserFolder } from "./merge-contract.ts";

/** All of them: the compiler wants an entry for each name. */
const TRAITS: Readonly<Record<MergePolicyName, MergeTraits>> = {
  auto: { runsChecks: false, needsApproval: false, hasPullRequests: false },
  checks: { runsChecks: true, needsApproval: false, hasPullRequests: false },
  manual: { runsChecks: true, needsApproval: true, hasPullRequests: false },
  pr_and_merge: { runsChecks: true, needsApproval: false, hasPullRequests: true },
  pr_and_notify: { runsChecks: true, needsApproval: true, hasPullRequests: true },
};

async function open(): Promise<MergeSubject> {
  const subject = await openGitVcs();
  const { sample } = subject;
  const checkout: UserFolder = {
    edit: () => sample.write({ "a.txt": "mine\n" }),
    undoEdit: () => void sample.git("checkout", "--quiet", "a.txt"),
    everything: () => sample.everything(),
    changedFiles: () => sample.git("status", "--porcelain").split("\n").filter(Boolean),
  };
  return { ...subject, checkout };
}

export const POLICIES: readonly (readonly [MergePolicyName, TestedMerges<StepMergePolicy & WorkflowMergePolicy>])[] = (
  Object.entries(TRAITS) as readonly (readonly [MergePolicyName, MergeTraits])[]
).map(([name, traits]) => [name, { traits, create: () => mergePolicy(name), open }]);
