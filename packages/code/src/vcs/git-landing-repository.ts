import type { RefName } from "../git/branch-names.ts";
import { findCheckouts } from "../git/checkouts.ts";
import { mergeTrees, type MergedTrees } from "../git/merge-trees.ts";
import type { NewCommit, ObjectGit } from "../git/object-git.ts";
import type { Oid } from "../git/oid.ts";
import { changeRefs, type RefChange, type RefOutcome } from "../git/ref-transaction.ts";
import type { Repository } from "../git/repository.ts";
import { UserCheckout } from "../git/user-checkout.ts";
import type { LandingRepository, ReadCommit, TargetCheckout } from "./landing-repository.ts";

export class GitLandingRepository implements LandingRepository {
  readonly #repository: Repository;
  readonly #objects: ObjectGit;

  constructor(repository: Repository, objects: ObjectGit) {
    this.#repository = repository;
    this.#objects = objects;
  }

  async resolveAll(refs: readonly RefName[]): Promise<ReadonlyMap<RefName, Oid>> {
    const folders = refs.filter((ref) => ref.endsWith("/"));
    const found = await this.#repository.resolveAll(refs.filter((ref) => !ref.endsWith("/")));
    if (folders.length === 0) return found;
    const listed = await Promise.all(
      folders.map((folder) => this.#repository.listRefs(folder.slice(0, -1) as RefName)),
    );
    return new Map([...found, ...listed.flatMap((each) => [...each])]);
  }

  change(changes: readonly RefChange[]): Promise<RefOutcome> {
    return changeRefs(this.#repository, changes);
  }

  merge(ours: Oid, theirs: Oid): Promise<MergedTrees> {
    return mergeTrees(this.#objects, ours, theirs);
  }

  commit(commit: NewCommit): Promise<Oid> {
    return this.#objects.commit(commit);
  }

  async read(commit: Oid): Promise<ReadCommit> {
    const text = await this.#objects.text(["log", "-1", "--format=%T %P%n%B", commit]);
    const end = text.indexOf("\n");
    const [tree, ...parents] = text.slice(0, end).trim().split(" ") as [Oid, ...Oid[]];
    return { tree, parents, message: text.slice(end + 1) };
  }

  async isAncestor(commit: Oid, descendant: Oid): Promise<boolean> {
    return (await this.#objects.run(["merge-base", "--is-ancestor", commit, descendant])).exitCode === 0;
  }

  async findCheckout(ref: RefName): Promise<TargetCheckout | string | undefined> {
    const branch = ref.replace(/^refs\/heads\//u, "");
    const [checkout, another] = await findCheckouts(this.#repository, branch);
    if (another !== undefined) return `\`${branch}\` is checked out in ${checkout!.folder} and in ${another.folder}`;
    return checkout === undefined ? undefined : new UserCheckout(this.#repository, this.#objects, checkout);
  }
}
