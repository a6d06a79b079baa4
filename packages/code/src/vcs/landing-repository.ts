// The port through which branches, merges and pull requests use a repository: of git, or in memory. Only the two adapters
// know which; everything that decides about a landing is above this port.

import type { RefName } from "../git/branch-names.ts";
import type { LandingRefs } from "../git/landing.ts";
import type { MergedTrees } from "../git/merge-trees.ts";
import type { NewCommit } from "../git/object-git.ts";
import type { Oid } from "../git/oid.ts";
import type { UserCheckout } from "../git/user-checkout.ts";

/** A folder of the user that has a branch checked out. */
export type TargetCheckout = Pick<UserCheckout, "folder" | "withLock" | "findBlock" | "advance" | "finish">;

export interface ReadCommit {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly message: string;
}

export interface LandingRepository extends LandingRefs {
  /** Merges two commits without a checkout. */
  merge(ours: Oid, theirs: Oid): Promise<MergedTrees>;
  /** Creates a commit. No ref changes. The same commit made again has the same id. */
  commit(commit: NewCommit): Promise<Oid>;
  read(commit: Oid): Promise<ReadCommit>;
  isAncestor(commit: Oid, descendant: Oid): Promise<boolean>;
  /** The user's folder that has the branch checked out, or the reason why there is not exactly one. */
  findCheckout(branch: RefName): Promise<TargetCheckout | string | undefined>;
}

export async function resolveRef(repository: LandingRefs, ref: RefName): Promise<Oid | undefined> {
  return (await repository.resolveAll([ref])).get(ref);
}
