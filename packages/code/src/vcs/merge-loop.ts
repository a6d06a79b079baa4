// Merges work into a branch: merge, check, land, and again if another landing came first (CODE-5, CODE-6).
//
//   M1. The commit that was checked is the commit that lands.
//   M2. Checks depend on files alone. A merge on a new head that gives the same tree is not checked again.
//   M3. The loop ends: each round that does not land lost to a landing of another task.
//   M4. A branch that is checked out in a folder of the user moves together with that folder, or not at all.
//   M5. An agent can write refs. A marker counts only if its commit is part of the branch, and has the work in it or the
//       message of this merge. That holds also for a marker that appears while this merge is checked or lands.
//   M6. A merge that is repeated after a crash may name other work than the one that landed: a person may have repaired
//       several branches. The outcome says so, because the work that it names must not be deleted then.

import { CodeError } from "../errors/code-error.ts";
import type { RefName } from "../git/branch-names.ts";
import { land, type Landing, type LandingOutcome } from "../git/landing.ts";
import type { Conflict, MergedTrees } from "../git/merge-trees.ts";
import type { Identity } from "../git/object-git.ts";
import type { Oid } from "../git/oid.ts";
import type { CheckResult } from "./branches.ts";
import { resolveRef, type LandingRepository, type TargetCheckout } from "./landing-repository.ts";

export interface MergeRequest {
  readonly target: RefName;
  readonly source: { readonly ref: RefName; readonly head: Oid };
  readonly marker: RefName;
  /** Refs that are created when the work lands. */
  readonly records?: readonly { readonly ref: RefName; readonly to: Oid }[];
  /** Whether the branch gets one commit without the history of the task. */
  readonly isSquashed: boolean;
  readonly message: string;
  readonly author: Identity;
  readonly atMs: number;
}

export type MergeOutcome =
  | { readonly kind: "landed"; readonly commit: Oid; readonly isNew: boolean; readonly isOtherWork?: true }
  /** `commit` has the conflicting files with conflict markers, and both sides as parents. */
  | { readonly kind: "conflict"; readonly onto: Oid; readonly commit: Oid; readonly conflicts: readonly Conflict[] }
  | {
      readonly kind: "check-failed";
      readonly onto: Oid;
      readonly commit: Oid;
      readonly command: string;
      readonly log: string;
    }
  | { readonly kind: "base-broken"; readonly onto: Oid; readonly command: string; readonly log: string }
  | { readonly kind: "source-moved" }
  | { readonly kind: "checkout-blocked"; readonly reason: string };

interface CheckedCommit {
  readonly commit: Oid;
  readonly tree: Oid;
  readonly onto: Oid;
}

/** Runs the checks on the files of a commit. */
export type CommitCheck = (commit: CheckedCommit) => Promise<CheckResult>;

type LandedBefore = Extract<MergeOutcome, { readonly kind: "landed" }>;
type Round = MergeOutcome | { readonly kind: "target-moved" };

const ROUNDS_MAX = 100;

export class MergeLoop {
  readonly #repository: LandingRepository;

  constructor(repository: LandingRepository) {
    this.#repository = repository;
  }

  async run(request: MergeRequest, check: CommitCheck): Promise<MergeOutcome> {
    const passed = new Set<Oid>();
    const checkOnce: CommitCheck = async (commit) => {
      if (passed.has(commit.tree)) return { kind: "passed" };
      const result = await check(commit);
      if (result.kind === "passed") passed.add(commit.tree);
      return result;
    };
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const outcome = await this.#tryMerge(request, checkOnce);
      if (outcome.kind !== "target-moved") return outcome;
    }
    throw new CodeError("GIT_FAILED", `\`${request.target}\` moved ${ROUNDS_MAX} times while work was merged into it`);
  }

  async #tryMerge(request: MergeRequest, check: CommitCheck): Promise<Round> {
    const { target, source, marker } = request;
    // The refs need not be read at one moment: the landing compares all of them. The order matters if another engine
    // lands the same work meanwhile. The source is deleted after the marker was created, so a marker that is read later than
    // a missing source is found, and the target is read later than the marker that it is compared with.
    const heads = await this.#repository.resolveAll([source.ref, marker, target]);
    const landed = heads.get(marker);
    if (landed !== undefined) {
      const isOtherWork = await this.#isOtherWork(request, heads.get(target), landed);
      return { ...(await this.#finish(target, heads.get(target), landed)), ...(isOtherWork ? { isOtherWork } : {}) };
    }
    const onto = requireHead(heads, target);
    if (requireHead(heads, source.ref) !== source.head) return { kind: "source-moved" };
    const merged = await this.#repository.merge(onto, source.head);
    const commit = await this.#commit(request, onto, merged);
    if (merged.kind === "conflict") return { kind: "conflict", onto, commit, conflicts: merged.conflicts };
    return await this.#checkAndLand(request, { commit, tree: merged.tree, onto }, check);
  }

  async #checkAndLand(request: MergeRequest, merged: CheckedCommit, check: CommitCheck): Promise<Round> {
    const { commit, onto } = merged;
    const landing: Landing = { ...request, target: { ref: request.target, head: onto }, commit };
    const checkout = await this.#repository.findCheckout(request.target);
    if (typeof checkout === "string") return { kind: "checkout-blocked", reason: checkout };
    const block = await checkout?.findBlock(onto, commit);
    if (block !== undefined) return blocked(checkout!, block);
    const checked = await check(merged);
    if (checked.kind === "failed") return { ...checked, kind: "check-failed", onto, commit };
    if (checked.kind === "base-broken") return { ...checked, onto };
    return checkout === undefined
      ? lookAgain(await land(this.#repository, landing))
      : await this.#landThere(checkout, landing);
  }

  /** M4. */
  async #landThere(checkout: TargetCheckout, landing: Landing): Promise<Round> {
    const { target, commit } = landing;
    const outcome = await checkout.withLock(async (): Promise<Round> => {
      if ((await resolveRef(this.#repository, target.ref)) !== target.head) return { kind: "target-moved" };
      const block = await checkout.findBlock(target.head, commit);
      if (block !== undefined) return blocked(checkout, block);
      const landed = await land(this.#repository, landing);
      if (landed.kind === "landed" && landed.isNew) await checkout.advance(target.head, commit);
      return lookAgain(landed);
    });
    return outcome ?? blocked(checkout, "another git process works in it, or was killed and left `index.lock` behind");
  }

  /** The work has landed; if a crash came between the branch and the files of the user's folder, the files follow. */
  async #finish(target: RefName, head: Oid | undefined, landed: Oid): Promise<LandedBefore> {
    const outcome = { kind: "landed", commit: landed, isNew: false } as const;
    const checkout = head === landed ? await this.#repository.findCheckout(target) : undefined;
    if (checkout === undefined || typeof checkout === "string") return outcome;
    const { parents } = await this.#repository.read(landed);
    const [parent] = parents;
    if (parent !== undefined) await checkout.withLock(() => checkout.finish(parent, landed));
    return outcome;
  }

  /** Whether other work has landed than the request names (M6). Throws if the marker does not count (M5). */
  async #isOtherWork(request: MergeRequest, head: Oid | undefined, landed: Oid): Promise<boolean> {
    const { target, source, marker, message } = request;
    const isThisMerge = (await this.#repository.read(landed)).message.trim() === message.trim();
    const hasWork = await this.#hasWork(request, landed);
    const isGenuine = isThisMerge || (hasWork && !request.isSquashed);
    if (isGenuine && head !== undefined && (await this.#repository.isAncestor(landed, head))) return !hasWork;
    throw new CodeError(
      "LANDING_MARKER_INVALID",
      `\`${marker}\` says that \`${source.ref}\` has landed, but \`${target}\` does not have its work; delete the marker with \`git update-ref -d ${marker}\` if the work is to land`,
    );
  }

  /** A squashed commit has none of the work's history, so the merge is made again: it gives the same tree. */
  async #hasWork({ isSquashed, source }: MergeRequest, landed: Oid): Promise<boolean> {
    if (!isSquashed) return await this.#repository.isAncestor(source.head, landed);
    const { tree, parents } = await this.#repository.read(landed);
    const [onto] = parents;
    return onto !== undefined && (await this.#repository.merge(onto, source.head)).tree === tree;
  }

  /** Deterministic, so that a merge that is repeated after a crash gives the same commits. */
  #commit(
    { isSquashed, source, message, author, atMs }: MergeRequest,
    onto: Oid,
    { kind, tree }: MergedTrees,
  ): Promise<Oid> {
    if (kind === "conflict") {
      const parents = [source.head, onto];
      return this.#repository.commit({ tree, parents, message: `Conflicts of ${source.ref}\n`, author, atMs });
    }
    return this.#repository.commit({ tree, parents: isSquashed ? [onto] : [onto, source.head], message, author, atMs });
  }
}

/** M5. The marker of another landing is verified in the next round, as one that was there before. */
function lookAgain(outcome: LandingOutcome): Round {
  return outcome.kind === "landed" && !outcome.isNew ? { kind: "target-moved" } : outcome;
}

function blocked({ folder }: TargetCheckout, reason: string): Round {
  return {
    kind: "checkout-blocked",
    reason: `the branch is checked out in ${folder}, which cannot be moved: ${reason}; commit, stash or switch to another branch there`,
  };
}

function requireHead(heads: ReadonlyMap<RefName, Oid>, ref: RefName): Oid {
  const head = heads.get(ref);
  if (head === undefined) throw new CodeError("BRANCH_MISSING", `\`${ref}\` does not exist`);
  return head;
}
