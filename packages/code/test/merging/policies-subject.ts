// The policies that ship: all of them in memory, and on real git.

import { mergePolicy } from "../../src/merging/policies.ts";
import type { StepMergePolicy, WorkflowMergePolicy } from "../../src/merging/merge-policies.ts";
import type { MergePolicyName } from "../../src/model/merge-policy-name.ts";
import { openGitVcs } from "../vcs/git-vcs-subject.ts";
import { openMemoryVcs } from "../vcs/memory-vcs-subject.ts";
import type { MergeSubject, MergeTraits, TestedMerges, UserFolder } from "./merge-contract.ts";

/** All of them: the compiler wants an entry for each name. */
const TRAITS: Readonly<Record<MergePolicyName, MergeTraits>> = {
  auto: { runsChecks: false, needsApproval: false, hasPullRequests: false },
  checks: { runsChecks: true, needsApproval: false, hasPullRequests: false },
  manual: { runsChecks: true, needsApproval: true, hasPullRequests: false },
  pr_and_merge: { runsChecks: true, needsApproval: false, hasPullRequests: true },
  pr_and_notify: { runsChecks: true, needsApproval: true, hasPullRequests: true },
};

async function openGit(): Promise<MergeSubject> {
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

type Policies = readonly (readonly [MergePolicyName, TestedMerges<StepMergePolicy & WorkflowMergePolicy>])[];

function policies(open: () => Promise<MergeSubject>, hasFolder: boolean): Policies {
  return (Object.entries(TRAITS) as readonly (readonly [MergePolicyName, MergeTraits])[]).map(([name, traits]) => [
    name,
    { traits, create: () => mergePolicy(name), open, hasFolder },
  ]);
}

/** All policies on version control in memory, which passes the same contract as git. */
export const IN_MEMORY: Policies = policies(openMemoryVcs, false);

/**
 * The policies that together run all the code of policies on git: one that merges branches, and one with pull requests. Both
 * have checks and approvals. The others differ from them only in what they leave out (`policies.ts`).
 */
const WHOLE: ReadonlySet<MergePolicyName> = new Set(["manual", "pr_and_notify"]);

/** The policies that pass the whole contract on git. */
export const ON_GIT: Policies = policies(openGit, true).filter(([name]) => WHOLE.has(name));

/** The policies that pass a part of the contract on git: what lands, once, and the user's folder. */
export const PARTLY_ON_GIT: Policies = policies(openGit, true).filter(([name]) => !WHOLE.has(name));
