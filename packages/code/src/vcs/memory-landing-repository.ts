import type { RefName } from "../git/branch-names.ts";
import type { MergedTrees } from "../git/merge-trees.ts";
import type { MemoryRepository } from "../git/memory-repository.ts";
import type { MemoryStep } from "../git/memory-step.ts";
import type { NewCommit } from "../git/object-git.ts";
import type { Oid } from "../git/oid.ts";
import type { RefChange, RefOutcome } from "../git/ref-transaction.ts";
import type { LandingRepository, ReadCommit } from "./landing-repository.ts";

/** A repository in memory behind the port of landings. Its ids have the form of git's. */
export class MemoryLandingRepository implements LandingRepository {
  readonly #repository: MemoryRepository;
  readonly #onStep: MemoryStep;

  constructor(repository: MemoryRepository, onStep: MemoryStep) {
    this.#repository = repository;
    this.#onStep = onStep;
  }

  async resolveAll(refs: readonly RefName[]): Promise<ReadonlyMap<RefName, Oid>> {
    await this.#onStep("read refs");
    const found = new Map<RefName, Oid>();
    for (const name of refs.flatMap((ref) => (ref.endsWith("/") ? this.#repository.refs(ref) : [ref]))) {
      const commit = this.#repository.resolve(name);
      if (commit !== undefined) found.set(name, commit as Oid);
    }
    return found;
  }

  async change(changes: readonly RefChange[]): Promise<RefOutcome> {
    await this.#onStep("change refs");
    const outcome = this.#repository.changeRefs(changes);
    await this.#onStep("refs changed");
    return outcome;
  }

  async merge(ours: Oid, theirs: Oid): Promise<MergedTrees> {
    await this.#onStep("merge");
    const { files, conflicts } = this.#repository.merge(ours, theirs);
    const tree = this.#repository.writeTree(files) as Oid;
    if (conflicts.length === 0) return { kind: "clean", tree };
    const messages = (path: string): readonly string[] => [`CONFLICT (content): Merge conflict in ${path}`];
    // The merged text has both sides, so it says which conflict it is.
    const stages = (path: string): readonly string[] => [files.get(path) ?? ""];
    const found = conflicts.map((path) => ({ path, messages: messages(path), stages: stages(path) }));
    return { kind: "conflict", tree, conflicts: found };
  }

  async commit({ tree, parents, message, atMs }: NewCommit): Promise<Oid> {
    await this.#onStep("commit");
    return this.#repository.commitTree({ tree, parents, message, atMs }) as Oid;
  }

  async read(commit: Oid): Promise<ReadCommit> {
    const { tree, parents, message } = this.#repository.read(commit);
    return { tree: tree as Oid, parents: parents as readonly Oid[], message };
  }

  async isAncestor(commit: Oid, descendant: Oid): Promise<boolean> {
    return this.#repository.isAncestor(commit, descendant);
  }

  /** A repository in memory has no folder that could check out a branch. */
  async findCheckout(): Promise<undefined> {
    return undefined;
  }
}
