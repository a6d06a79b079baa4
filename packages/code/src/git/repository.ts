// The user's repository. All calls name its git directory; nothing is found by searching the folders, because an agent
// can replace the `.git` file of its worktree.

import { realpath, stat } from "node:fs/promises";
import { CodeError } from "../errors/code-error.ts";
import { branchRef, type RefName } from "./branch-names.ts";
import { requireText, type Git, type GitOptions, type GitResult } from "./git.ts";
import type { Oid } from "./oid.ts";
import { RefReader } from "./ref-reader.ts";

/** Branches with these names would stand where git needs folders. */
const RESERVED_BRANCHES = ["task", "workflow"];

export class Repository {
  readonly git: Git;
  /** The git directory that all worktrees share. */
  readonly commonDir: string;
  /** The top folder of the user's working tree. */
  readonly folder: string;
  readonly objectFormat: string;
  readonly #refs: RefReader;

  private constructor(git: Git, found: { commonDir: string; folder: string; objectFormat: string }) {
    this.git = git;
    this.commonDir = found.commonDir;
    this.folder = found.folder;
    this.objectFormat = found.objectFormat;
    this.#refs = new RefReader(git, found.commonDir);
  }

  /** Finds the repository around a folder. Throws unless code workflows can run on it. */
  static async open(git: Git, path: string): Promise<Repository> {
    const facts = await readFacts(git, path);
    const commonDir = await realpath(facts.commonDir);
    const top = await git.text(["rev-parse", "--path-format=absolute", "--show-toplevel"], { cwd: path });
    const repository = new Repository(git, { ...facts, commonDir, folder: await realpath(top) });
    await repository.#refusePartial();
    if ((await repository.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])).exitCode !== 0)
      throw new CodeError("REPOSITORY_UNSUPPORTED", `the repository ${repository.folder} has no commits`);
    return repository;
  }

  run(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    return this.git.run([`--git-dir=${this.commonDir}`, ...args], options);
  }

  async text(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return requireText(args, await this.run(args, options));
  }

  /** The commit that a ref points to; undefined if the ref does not exist. */
  async resolve(ref: RefName): Promise<Oid | undefined> {
    return (await this.#refs.resolveAll([ref])).get(ref);
  }

  /** The commits that several refs point to, read in the given order; a ref that does not exist is left out. */
  resolveAll(refs: readonly RefName[]): Promise<ReadonlyMap<RefName, Oid>> {
    return this.#refs.resolveAll(refs);
  }

  /** The refs of a folder, or those that match a pattern with `*`. */
  async listRefs(pattern: RefName): Promise<ReadonlyMap<RefName, Oid>> {
    const lines = (await this.text(["for-each-ref", "--format=%(objectname) %(refname)", pattern])).split("\n");
    return new Map(
      lines.filter(Boolean).map((line) => {
        const space = line.indexOf(" ");
        return [line.slice(space + 1) as RefName, line.slice(0, space) as Oid];
      }),
    );
  }

  /** Ends the process that reads refs. */
  async close(): Promise<void> {
    await this.#refs.close();
  }

  /** The commit of the base branch. */
  async resolveBase(branch: string): Promise<Oid> {
    const oid = await this.resolve(branchRef(branch));
    if (oid === undefined)
      throw new CodeError("BASE_BRANCH_MISSING", `the repository ${this.folder} has no branch \`${branch}\``);
    return oid;
  }

  /** Throws if a branch prevents git from creating `task/…` or `workflow/…`. */
  async checkBranchNames(): Promise<void> {
    for (const branch of RESERVED_BRANCHES)
      if ((await this.resolve(branchRef(branch))) !== undefined)
        throw new CodeError(
          "BRANCH_NAME_TAKEN",
          `the branch \`${branch}\` exists, so git cannot create \`${branch}/…\`; rename it with \`git branch -m ${branch} <new name>\``,
        );
  }

  /** Objects that are missing from a partial clone could only be fetched with the repository's own configuration. */
  async #refusePartial(): Promise<void> {
    const { exitCode } = await this.run(["config", "--get-regexp", "^remote\\..*\\.promisor$", "^true$"]);
    if (exitCode === 0)
      throw new CodeError("REPOSITORY_UNSUPPORTED", `the repository ${this.folder} is a partial clone`);
  }
}

interface Facts {
  readonly commonDir: string;
  readonly objectFormat: string;
}

async function readFacts(git: Git, path: string): Promise<Facts> {
  // Without the folder, git could not be started in it, and the error would say that git is missing.
  if ((await stat(path).catch(() => undefined))?.isDirectory() !== true)
    throw new CodeError("REPOSITORY_MISSING", `there is no folder ${path}`);
  const args = ["rev-parse", "--is-bare-repository", "--is-shallow-repository", "--show-object-format"];
  const result = await git.run([...args, "--path-format=absolute", "--git-common-dir"], { cwd: path });
  if (result.exitCode !== 0)
    throw new CodeError("REPOSITORY_MISSING", `${path} is not in a git repository: ${result.stderr.trim()}`);
  const [isBare, isShallow, objectFormat = "sha1", ...rest] = result.stdout.toString("utf8").split("\n");
  if (isBare === "true") throw new CodeError("REPOSITORY_UNSUPPORTED", `the repository ${path} is bare`);
  if (isShallow === "true")
    throw new CodeError("REPOSITORY_UNSUPPORTED", `the repository ${path} is shallow; run \`git fetch --unshallow\``);
  return { commonDir: rest.join("\n").replace(/\n$/u, ""), objectFormat };
}
