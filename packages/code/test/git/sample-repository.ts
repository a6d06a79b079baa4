// A repository in a temporary folder, made by the plain git program as a user would make it.

import { createHash } from "node:crypto";
import {
  cpSync,
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
import { importCommit, plainGit } from "./plain-git.ts";

type Files = Readonly<Record<string, string>>;

/** Repositories with one commit, by their files. Each is made once in a process, and copied. */
const templates = new Map<string, string>();

export class SampleRepository implements AsyncDisposable {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "segno-code-")));
  readonly folder: string = join(this.root, "repository");
  /** Planted programs write their names into this folder. */
  readonly canaries: string = join(this.root, "canaries");
  readonly #objects: ObjectGit[] = [];

  /** A repository with these files in its first commit, or a copy of another repository. */
  constructor(content: Files | SampleRepository = { "a.txt": "one\n" }) {
    mkdirSync(this.canaries);
    cpSync(content instanceof SampleRepository ? content.folder : templateOf(content), this.folder, {
      recursive: true,
    });
    // The index has the times of the files from which they were copied.
    this.git("update-index", "--refresh");
  }

  git(...args: readonly string[]): string {
    return this.gitIn(this.folder, ...args);
  }

  gitIn(cwd: string, ...args: readonly string[]): string {
    return plainGit(args, { cwd });
  }

  write(files: Files, folder: string = this.folder): void {
    writeFiles(folder, files);
  }

  remove(path: string): void {
    rmSync(join(this.folder, path));
  }

  commit(files: Files): Oid {
    this.write(files);
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "change");
    return this.git("rev-parse", "HEAD") as Oid;
  }

  /** Commits files on a new branch that starts at a commit, without touching the checkout. */
  async commitOn(branch: string, base: Oid, files: Files): Promise<Oid> {
    return importCommit({ branch, base, files }, { cwd: this.folder }) as Oid;
  }

  async open(): Promise<{ readonly repository: Repository; readonly objects: ObjectGit }> {
    const repository = await Repository.open(await Git.open(), this.folder);
    const objects = await ObjectGit.open(repository);
    this.#objects.push(objects);
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
    for (const objects of this.#objects) await objects.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

function templateOf(files: Files): string {
  const key = JSON.stringify(files);
  const known = templates.get(key);
  if (known !== undefined) return known;
  if (templates.size === 0) process.once("exit", removeTemplates);
  const folder = mkdtempSync(join(tmpdir(), "segno-code-template-"));
  templates.set(key, folder);
  plainGit(["init", "--quiet", "--initial-branch=main"], { cwd: folder });
  // The samples of hooks are half of the files of a new repository.
  for (const hook of readdirSync(join(folder, ".git/hooks"))) rmSync(join(folder, ".git/hooks", hook));
  if (Object.keys(files).length === 0) return folder;
  writeFiles(folder, files);
  plainGit(["add", "--all"], { cwd: folder });
  plainGit(["commit", "--quiet", "--message", "change"], { cwd: folder });
  return folder;
}

function removeTemplates(): void {
  for (const folder of templates.values()) rmSync(folder, { recursive: true, force: true });
}

function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
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
