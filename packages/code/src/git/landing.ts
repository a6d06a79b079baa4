// Landing: a commit that was merged and tested becomes the head of a branch, exactly once (CODE-6).
//
//   L1. One ref transaction moves the branch from the head that was merged onto, creates the marker of the task, and
//       checks that the task's branch still has the commit that was merged. So a crash leaves either all or nothing.
//   L2. The marker decides whether a task has landed. Ancestry cannot: after a squash the task's commits are not part of
//       the branch.
//   L3. If the branch has moved, nothing is changed; the caller merges and tests again on the new head. What was tested is
//       what lands.

import type { RefName } from "./branch-names.ts";
import type { Oid } from "./oid.ts";
import type { RefChange, RefOutcome } from "./ref-transaction.ts";

export interface Landing {
  /** The branch that receives the work, as it was when the merge was made. */
  readonly target: { readonly ref: RefName; readonly head: Oid };
  /** The branch of the work, as it was when the merge was made. */
  readonly source: { readonly ref: RefName; readonly head: Oid };
  /** The commit that was tested. */
  readonly commit: Oid;
  readonly marker: RefName;
  /** Refs that are created in the same transaction. */
  readonly records?: readonly { readonly ref: RefName; readonly to: Oid }[];
}

export type LandingOutcome =
  /** `commit` is the commit with which the work landed, now or earlier. */
  | { readonly kind: "landed"; readonly commit: Oid; readonly isNew: boolean }
  /** Another landing came first: merge and test again. */
  | { readonly kind: "target-moved" }
  /** The work changed after it was merged. */
  | { readonly kind: "source-moved" };

/** The refs of a repository, of git or in memory. */
export interface LandingRefs {
  /** The commits that refs point to; a ref that does not exist is left out. A name that ends with `/` means all refs below. */
  resolveAll(refs: readonly RefName[]): Promise<ReadonlyMap<RefName, Oid>>;
  /** Changes all refs together, or none. */
  change(changes: readonly RefChange[]): Promise<RefOutcome>;
}

export async function land(refs: LandingRefs, landing: Landing): Promise<LandingOutcome> {
  const { target, source, commit, marker, records = [] } = landing;
  const changes: readonly RefChange[] = [
    { kind: "create", ref: marker, to: commit },
    { kind: "update", ref: target.ref, from: target.head, to: commit },
    { kind: "verify", ref: source.ref, at: source.head },
    ...records.map(({ ref, to }) => ({ kind: "create", ref, to }) as const),
  ];
  const outcome = await refs.change(changes);
  if (outcome.kind === "committed") return { kind: "landed", commit, isNew: true };
  const landed = (await refs.resolveAll([marker])).get(marker);
  if (landed !== undefined) return { kind: "landed", commit: landed, isNew: false };
  return { kind: outcome.ref === target.ref ? "target-moved" : "source-moved" };
}
