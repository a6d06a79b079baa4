// A repository in a temporary folder, made by the plain git program as a user would make it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Git } from "../../src/git/git.ts";
import { ObjectGit } from "../../src/git/object-git.ts";
import type { Oid } from "../../src/git/oid.ts";
import { Repository } from "../../src/git/repository.ts";
import { Worktree } from "../../src/git/worktree.ts";

const ENV = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "user",
  GIT_AUTHOR_EMAIL: "user@example.com",
  GIT_COMMITTER_NAME: "user",
  GIT_COMMITTER_EMAIL: "user@example.com",
};

export class SampleRepository implements AsyncDisposable {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "segno-code-")));
  readonly folder: string = join(this.root, "repository");
  /** Planted programs write their names into this folder. */
  readonly canaries: string = join(this.root, "canaries");
  readonly #opened: { close(): Promise<void> }[] = [];

  constructor(files: Readonly<Record<string, string>> = { "a.txt": "one\n" }) {
    for (const folder of [this.folder, this.canaries]) mkdirSync(folder);
    this.git("init", "--quiet", "--initial-branch=main");
    if (Object.keys(files).length > 0) this.commit(files);
  }

  git(...args: readonly string[]): string {
    return this.gitIn(this.folder, ...args);
  }

  gitIn(cwd: string, ...args: readonly string[]): string {
    return execFileSync("git", args, { cwd, env: ENV, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  write(files: Readonly<Record<string, string>>, folder: string = this.folder): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }

  remove(path: string): void {
    rmSync(join(this.folder, path));
  }

  commit(files: Readonly<Record<string, string>>): Oid {
    this.write(files);
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "change");
    return this.git("rev-parse", "HEAD") as Oid;
  }

  /** Commits files on a new branch that starts at a commit, without touching the checkout. */
  async commitOn(branch: string, base: Oid, files: Readonly<Record<string, string>>): Promise<Oid> {
    const folder = join(this.root, `on-${branch.replaceAll("/", "-")}`);
    this.git("worktree", "add", "--quiet", "-b", branch, folder, base);
    this.write(files, folder);
    this.gitIn(folder, "add", "--all");
    this.gitIn(folder, "commit", "--quiet", "--message", `change ${branch}`);
    this.git("worktree", "remove", "--force", folder);
    return this.git("rev-parse", branch) as Oid;
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
    rmSync(this.root, { recursive: true, force: true });
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== ".git" && name !== ".segno")
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));
}

function hashOf(path: string): string {
  const found = lstatSync(path);
  const content = found.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
  return `${found.mode.toString(8)} ${createHash("sha256").update(content).digest("hex")}`;
}
