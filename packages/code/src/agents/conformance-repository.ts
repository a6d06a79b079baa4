// The repository in which a command is checked: a checkout that must not change, and a worktree in which the command works.

import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Git } from "../git/git.ts";
import { ObjectGit } from "../git/object-git.ts";
import type { Oid } from "../git/oid.ts";
import { Repository } from "../git/repository.ts";
import { Worktree } from "../git/worktree.ts";

const AUTHOR = { name: "Segno", email: "conformance@segno.invalid" };
export const CONFORMANCE_BRANCH = "task/conformance";

export class ConformanceRepository implements AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly base: Oid;
  readonly #repository: Repository;
  readonly #objects: ObjectGit;

  private constructor(root: string, worktree: Worktree, repository: Repository, objects: ObjectGit) {
    this.root = root;
    this.workspace = worktree.path;
    this.base = worktree.base;
    this.#repository = repository;
    this.#objects = objects;
  }

  static async create(): Promise<ConformanceRepository> {
    const root = await realpath(await mkdtemp(join(tmpdir(), "segno-conformance-")));
    const repository = await createRepository(join(root, "repository"));
    const objects = await ObjectGit.open(repository);
    const base = await repository.resolveBase("main");
    const place = { path: join(root, "workspace"), branch: CONFORMANCE_BRANCH, base };
    const worktree = await Worktree.create(repository, objects, place);
    return new ConformanceRepository(root, worktree, repository, objects);
  }

  /** Files outside the workspace that a command must leave alone, each with a hash of its content. */
  async snapshot(): Promise<ReadonlyMap<string, string>> {
    const files = await readdir(this.root, { recursive: true, withFileTypes: true });
    const paths = files.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    const names = paths.map((path) => relative(this.root, path)).filter((name) => !isOwn(name));
    return new Map(
      await Promise.all(names.map(async (name) => [name, await hashFile(join(this.root, name))] as const)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#objects.close(), this.#repository.close()]);
    await rm(this.root, { recursive: true, force: true });
  }
}

/** A command may use its workspace and the folder of its session, and its own git commands write objects and their worktree's state. */
function isOwn(name: string): boolean {
  const path = name.replaceAll("\\", "/");
  return /^(?:workspace|session-\d+)\/|^repository\/\.git\/(?:objects|worktrees|logs|refs\/heads\/task)\//u.test(path);
}

async function createRepository(folder: string): Promise<Repository> {
  const git = await Git.open();
  await mkdir(folder);
  await git.text(["init", "--quiet", "--initial-branch=main"], { cwd: folder });
  await writeFile(join(folder, "README.md"), "# A repository for a check of an agent\n");
  await git.text(["add", "README.md"], { cwd: folder });
  await git.text(["commit", "--quiet", "--message", "A first commit"], { cwd: folder, env: author() });
  return await Repository.open(git, folder);
}

function author(): Readonly<Record<string, string>> {
  return {
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
  };
}

/** Empty for a file that cannot be read, such as a broken link. */
async function hashFile(path: string): Promise<string> {
  try {
    return createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
  } catch {
    return "";
  }
}
