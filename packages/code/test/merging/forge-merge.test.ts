import { mergePolicy } from "../../src/merging/policies.ts";
import { SampleGitHub } from "../github/sample-github.ts";
import { gitSubject } from "../vcs/git-vcs-subject.ts";
import type { MergeSubject } from "./merge-contract.ts";
import { describeStepMerges } from "./step-merge-contract.ts";

async function open(): Promise<MergeSubject> {
  const github = await SampleGitHub.start();
  const { sample, vcs } = github;
  return { ...gitSubject(sample, vcs), [Symbol.asyncDispose]: () => github[Symbol.asyncDispose]() };
}

// The pull requests of a forge have other ids, and its own tests are about them.
describeStepMerges("pr_and_notify, GitHub", {
  traits: { runsChecks: true, needsApproval: true, hasPullRequests: false },
  create: () => mergePolicy("pr_and_notify"),
  open,
});
