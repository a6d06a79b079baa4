// A repository in memory, for tests: commits, refs, and files as text. The twins of workspaces and of version control
// work on it.
//
//   MR1. Ids are computed from contents, so that the same commit made again has the same id.
//   MR2. A ref changes only from its expected value, and several refs change together or not at all.
//   MR3. A merge compares whole files: a file that both sides changed differently is a conflict.

import { createHash } from "node:crypto";
import { CodeError } from "../errors/code-error.ts";
import { branchRef, type RefName } from "./branch-names.ts";
import { expectedValue, type RefChange, type RefOutcome } from "./ref-transaction.ts";

/** The texts of files, by path. */
export type MemoryFiles = ReadonlyMap<string, string>;

/** A commit of a `MemoryRepository`. */
export interface MemoryCommit {
  readonly id: string;
  readonly tree: string;
  readonly files: MemoryFiles;
  readonly parents: readonly string[];
  readonly message: string;
}

/** A commit to add to a `MemoryRepository`. */
export interface NewMemoryCommit {
  readonly files: MemoryFiles;
  readonly parents: readonly string[];
  readonly message: string;
  readonly atMs: number;
}

/** The result of a merge in memory. */
export interface MemoryMerge {
  /** Conflicting files have conflict markers. */
  readonly files: MemoryFiles;
  readonly conflicts: readonly string[];
}

/** A git repository in memory, for tests. */
export class MemoryRepository {
  readonly #commits = new Map<string, MemoryCommit>();
  readonly #refs = new Map<RefName, string>();
  readonly #trees = new Map<string, MemoryFiles>();

  /** Creates a repository with one commit on the branch `main`. */
  constructor(files: Readonly<Record<string, string>> = {}) {
    const commit = this.commit({
      files: new Map(Object.entries(files)),
      parents: [],
      message: "first commit",
      atMs: 0,
    });
    this.#refs.set(branchRef("main"), commit);
  }

  /** The commit of a ref; undefined if there is no such ref. */
  resolve(ref: RefName): string | undefined {
    return this.#refs.get(ref);
  }

  /** The refs whose names begin with a prefix. */
  refs(prefix: RefName): readonly RefName[] {
    return [...this.#refs.keys()].filter((ref) => ref.startsWith(prefix)).toSorted();
  }

  /** Sets a ref, or deletes it, if it has the expected value. Returns whether it had (MR2). */
  move(ref: RefName, from: string | undefined, to: string | undefined): boolean {
    if (this.#refs.get(ref) !== from) return false;
    if (to === undefined) this.#refs.delete(ref);
    else this.#refs.set(ref, to);
    return true;
  }

  /** Changes all refs, or none if one of them does not have its expected value (MR2). */
  changeRefs(changes: readonly RefChange[]): RefOutcome {
    const moved = changes.find((change) => this.#refs.get(change.ref) !== expectedValue(change));
    if (moved !== undefined) return { kind: "moved", ref: moved.ref };
    for (const change of changes) {
      if (change.kind === "delete") this.#refs.delete(change.ref);
      else if (change.kind !== "verify") this.#refs.set(change.ref, change.to);
    }
    return { kind: "committed" };
  }

  /** Adds a commit without changing a ref, and returns its id. */
  commit({ files, ...commit }: NewMemoryCommit): string {
    return this.commitTree({ ...commit, tree: this.writeTree(files) });
  }

  /** Adds a tree, and returns its id. */
  writeTree(files: MemoryFiles): string {
    const sorted = [...files].toSorted(([left], [right]) => (left < right ? -1 : 1));
    const tree = idOf(["tree", sorted]);
    this.#trees.set(tree, new Map(sorted));
    return tree;
  }

  /** Adds a commit of a tree that was written, without changing a ref, and returns its id. */
  commitTree({ tree, parents, message, atMs }: Omit<NewMemoryCommit, "files"> & { readonly tree: string }): string {
    const files = this.#trees.get(tree);
    if (files === undefined) throw new CodeError("GIT_FAILED", `there is no tree ${tree}`);
    const id = idOf(["commit", tree, parents, message, atMs]);
    this.#commits.set(id, { id, tree, files, parents, message });
    return id;
  }

  /** Commits changed files on a branch, as a user would do it. An undefined text deletes the file. */
  commitOn(branch: string, changes: Readonly<Record<string, string | undefined>>, message = "change"): string {
    const ref = branchRef(branch);
    const head = this.resolve(ref);
    if (head === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${branch}\` does not exist`);
    const files = new Map(this.read(head).files);
    for (const [path, text] of Object.entries(changes)) {
      if (text === undefined) files.delete(path);
      else files.set(path, text);
    }
    const commit = this.commit({ files, parents: [head], message, atMs: 0 });
    this.move(ref, head, commit);
    return commit;
  }

  /** The commit with this id. */
  read(commit: string): MemoryCommit {
    const found = this.#commits.get(commit);
    if (found === undefined) throw new CodeError("GIT_FAILED", `there is no commit ${commit}`);
    return found;
  }

  /** Whether the history of a commit has another commit. */
  isAncestor(ancestor: string, descendant: string): boolean {
    return this.#history(descendant).has(ancestor);
  }

  /** Merges two commits, without a new commit. */
  merge(ours: string, theirs: string): MemoryMerge {
    const base = this.#mergeBase(ours, theirs);
    return mergeFiles(this.read(base).files, this.read(ours).files, this.read(theirs).files);
  }

  /** The common ancestor from which no other common ancestor descends. */
  #mergeBase(ours: string, theirs: string): string {
    const history = this.#history(theirs);
    const common = [...this.#history(ours)].filter((commit) => history.has(commit));
    const best = common.find((each) => !common.some((other) => other !== each && this.isAncestor(each, other)));
    if (best === undefined) throw new CodeError("GIT_FAILED", `${ours} and ${theirs} have no common history`);
    return best;
  }

  #history(commit: string): ReadonlySet<string> {
    const seen = new Set<string>();
    const open = [commit];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      for (const parent of this.read(next).parents) open.push(parent);
    }
    return seen;
  }
}

function mergeFiles(base: MemoryFiles, ours: MemoryFiles, theirs: MemoryFiles): MemoryMerge {
  const files = new Map<string, string>();
  const conflicts: string[] = [];
  for (const path of new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])) {
    const [before, left, right] = [base.get(path), ours.get(path), theirs.get(path)];
    const isClean = left === right || left === before || right === before;
    if (!isClean) conflicts.push(path);
    const merged = isClean ? (left === before ? right : left) : marked(left, right);
    if (merged !== undefined) files.set(path, merged);
  }
  return { files, conflicts: conflicts.toSorted() };
}

function marked(left = "", right = ""): string {
  return `<<<<<<< ours\n${left}=======\n${right}>>>>>>> theirs\n`;
}

function idOf(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("hex");
}
