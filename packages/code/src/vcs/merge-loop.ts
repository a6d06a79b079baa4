// Merges a task's work into a branch: merge, check, land, and again if another landing came first (CODE-5, CODE-6).
//
//   M1. The commit that was checked is the commit that lands.
//   M2. Checks depend on files alone. A merge on a new head that gives the same tree is not checked again.
//   M3. The loop ends: each round that does not land lost to a landing of another task.

import type { RefName } from "../git/branch-names.ts";
import { land } from "../git/landing.ts";
import { mergeTrees, type Conflict } from "../git/merge-trees.ts";
import type { Identity, ObjectGit } from "../git/object-git.ts";
import type { Oid } from "../git/oid.ts";
import type { Repository } from "../git/repository.ts";
import { CodeError } from "../errors/code-error.ts";
import type { CheckResult } from "./branches.ts";

export interface MergeRequest {
  readonly target: RefName;
  readonly source: { readonly ref: RefName; readonly head: Oid };
  readonly marker: RefName;
  /** Whether the branch gets one commit without the history of the task. */
  readonly isSquashed: boolean;
  readonly message: string;
  readonly author: Identity;
  readonly atMs: number;
}

export type MergeOutcome =
  | { readonly kind: "landed"; readonly commit: Oid; readonly isNew: boolean }
  | { readonly kind: "conflict"; readonly onto: Oid; readonly tree: Oid; readonly conflicts: readonly Conflict[] }
  | {
      readonly kind: "check-failed";
      readonly onto: Oid;
      readonly commit: Oid;
      readonly command: string;
      readonly log: string;
    }
  | { readonly kind: "source-moved" };

/** Runs the checks on the files of a commit. */
export type CommitCheck = (commit: Oid) => Promise<CheckResult>;

const ROUNDS_MAX = 100;

export async function mergeAndLand(
  repository: Repository,
  objects: ObjectGit,
  request: MergeRequest,
  check: CommitCheck,
): Promise<MergeOutcome> {
  const landed = await repository.resolve(request.marker);
  if (landed !== undefined) return { kind: "landed", commit: landed, isNew: false };
  const passed = new Set<Oid>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const outcome = await tryMerge(repository, objects, request, async (commit, tree) => {
      if (passed.has(tree)) return { kind: "passed" };
      const result = await check(commit);
      if (result.kind === "passed") passed.add(tree);
      return result;
    });
    if (outcome.kind !== "target-moved") return outcome;
  }
  throw new CodeError("GIT_FAILED", `\`${request.target}\` moved ${ROUNDS_MAX} times while a task was merged into it`);
}

async function tryMerge(
  repository: Repository,
  objects: ObjectGit,
  request: MergeRequest,
  check: (commit: Oid, tree: Oid) => Promise<CheckResult>,
): Promise<MergeOutcome | { readonly kind: "target-moved" }> {
  const { target, source, marker } = request;
  const head = await repository.resolve(target);
  if (head === undefined) throw new CodeError("GIT_FAILED", `\`${target}\` does not exist any more`);
  const merged = await mergeTrees(objects, head, source.head);
  if (merged.kind === "conflict") return { ...merged, onto: head };
  const commit = await createCommit(objects, request, head, merged.tree);
  const checked = await check(commit, merged.tree);
  if (checked.kind === "failed") return { ...checked, kind: "check-failed", onto: head, commit };
  return await land(repository, { target: { ref: target, head }, source, commit, marker });
}

function createCommit(objects: ObjectGit, request: MergeRequest, head: Oid, tree: Oid): Promise<Oid> {
  const { isSquashed, source, message, author, atMs } = request;
  return objects.commit({ tree, parents: isSquashed ? [head] : [head, source.head], message, author, atMs });
}
