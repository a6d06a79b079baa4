// Refs of pull requests that exist in git only. A pull request is named after its branches, which git never lets contain `..`.

import { createHash } from "node:crypto";
import { CodeError } from "../errors/code-error.ts";
import type { RefName } from "../git/branch-names.ts";

export interface PullRequestRefs {
  /** The commit with which the pull request landed. */
  readonly merged: RefName;
  /** The head of the source that landed. */
  readonly head: RefName;
  /** Exists while the pull request is closed: the head of the source at that time. */
  readonly closed: RefName;
  /** Without a forge: a commit whose message has the texts and the checks. */
  readonly record: RefName;
  /** On a forge: the head of the source with its target merged into it. */
  readonly updated: RefName;
}

export interface PullRequestBranches {
  readonly source: string;
  readonly target: string;
}

export function pullRequestId({ source, target }: PullRequestBranches): string {
  return `${source}..${target}`;
}

export function readPullRequestId(id: string): PullRequestBranches {
  const [source = "", target = "", ...rest] = id.split("..");
  if (source === "" || target === "" || rest.length > 0)
    throw new CodeError("PULL_REQUEST_MISSING", `there is no pull request ${id}`);
  return { source, target };
}

export function pullRequestRefs({ source, target }: PullRequestBranches): PullRequestRefs {
  const folder = `${sourceRefs(source)}/${shortHash(target)}` as const;
  return {
    merged: `${folder}/merged`,
    head: `${folder}/head`,
    closed: `${folder}/closed`,
    record: `${folder}/record`,
    updated: `${folder}/updated`,
  };
}

/** The folder of the refs of all pull requests from a branch. */
export function sourceRefs(source: string): RefName {
  return `refs/segno/pull-requests/${shortHash(source)}`;
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
