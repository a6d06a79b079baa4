// A sample repository with all that tests of this package do to it and ask about it.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { Git } from "../../src/git/git.ts";
import { ObjectGit } from "../../src/git/object-git.ts";
import type { Oid } from "../../src/git/oid.ts";
import { Repository } from "../../src/git/repository.ts";
import { Worktree } from "../../src/git/worktree.ts";
import { importCommit } from "./plain-git.ts";
import { SampleFolder, writeFiles, type Files } from "./sample-folder.ts";
import { filesBelow, hashOf } from "./watched-checkout.ts";

export class SampleRepository extends SampleFolder implements AsyncDisposable {
  /** Planted programs write their names into this folder. */
  readonly canaries: string = join(this.root, "canaries");
  readonly #opened: { close(): Promise<void> }[] = [];

  constructor(content?: Files | SampleFolder) {
    super(content);
    mkdirSync(this.canaries);
  }

  write(files: Files, folder: string = this.folder): void {
    this.watched.act(() => writeFiles(folder, files));
  }

  remove(path: string): void {
    this.watched.act(() => rmSync(join(this.folder, path)));
  }

  commit(files: Files): Oid {
    this.write(files);
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "change");
    return this.git("rev-parse", "HEAD") as Oid;
  }

  /** Commits files on a new branch that starts at a commit, without touching the checkout. */
  async commitOn(branch: string, base: Oid, files: Files): Promise<Oid> {
    return this.watched.act(() => importCommit({ branch, base, files }, { cwd: this.folder }) as Oid);
  }

  async open(): Promise<{ readonly repository: Repository; readonly objects: ObjectGit }> {
    const repository = await Repository.open(await Git.open(), this.folder);
    const objects = await ObjectGit.open(repository);
    this.#opened.push(repository, objects);
    return { repository, objects };
  }

  async openWorktree(task = "t"): Promise<{
    readonly repository: Repository;
    readonly objects: ObjectGit;
    readonly worktree: Worktree;
  }> {
    const { repository, objects } = await this.open();
    const base = await repository.resolveBase("main");
    const path = join(this.root, "worktrees", task);
    const worktree = await Worktree.create(repository, objects, { path, branch: `task/x-${task}`, base });
    return { repository, objects, worktree };
  }

  /** A shell command that shows that it ran. */
  canary(name: string): string {
    return `touch '${join(this.canaries, name)}'; cat`;
  }

  get canariesRun(): readonly string[] {
    return readdirSync(this.canaries);
  }

  /** Everything a user can see of the checkout: files, index and branch. */
  checkout(): string {
    return [this.git("status", "--porcelain=v2", "--branch"), this.git("ls-files", "--stage")].join("\n");
  }

  /** Every file of the checkout with a hash of its bytes, and the index, the head and the settings, without the workspaces. */
  everything(): readonly string[] {
    const state = ["index", "HEAD", "config"].map((name) => join(this.folder, ".git", name));
    return [...state, ...filesBelow(this.folder)].map((path) => `${relative(this.folder, path)} ${hashOf(path)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opened of this.#opened) await opened.close();
    this.discard();
  }
}
