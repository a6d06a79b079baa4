// Moves a folder of the user with its branch, when work lands on a branch that is checked out there (CODE-11).
//
//   UC1. Only a clean folder moves: no changes, nothing staged, no unfinished operation, no untracked file in the way, and
//        nothing with which git would convert files. Otherwise the landing waits.
//   UC2. The index is locked from the last look until the files are written, so the user's git cannot come between.
//   UC3. The branch moves first, then the files, then the index. After a crash in between, each file is that of the old or of
//        the new commit, and the next call finishes. If the user has changed one of them since, it is left as it is.
//   UC4. Files are written with our own git: no filter and no hook runs.

import { createHash, randomUUID } from "node:crypto";
import { lstat, readdir, readFile, readlink, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { findConversion } from "./checkout-attributes.ts";
import type { Checkout } from "./checkouts.ts";
import { findInterrupted } from "./collected-work.ts";
import { listChanges, type FileChange } from "./file-change.ts";
import { copyIndex } from "./index-copy.ts";
import { IndexLock } from "./index-lock.ts";
import type { IndexOptions } from "./index-options.ts";
import type { ObjectGit } from "./object-git.ts";
import { zeroOid, type Oid } from "./oid.ts";
import type { Repository } from "./repository.ts";

export class UserCheckout {
  readonly folder: string;
  readonly #checkout: Checkout;
  readonly #repository: Repository;
  readonly #objects: ObjectGit;

  constructor(repository: Repository, objects: ObjectGit, checkout: Checkout) {
    this.#repository = repository;
    this.#objects = objects;
    this.#checkout = checkout;
    this.folder = checkout.folder;
  }

  /** Runs work while the user's git cannot change the index (UC2); undefined if another process has it locked. */
  async withLock<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const lock = await IndexLock.take(this.#checkout.gitDir);
    if (lock === undefined) return undefined;
    try {
      return await work();
    } finally {
      await lock.release();
    }
  }

  /** A reason why the folder cannot move from one commit to another; undefined if it can (UC1). */
  async findBlock(from: Oid, to: Oid): Promise<string | undefined> {
    return (
      (await this.#findUnsupported(from, to)) ??
      (await this.#withIndex((options) => this.#findChange(options, from, to)))
    );
  }

  /** Writes the files and the index of a commit. The branch has moved already (UC3). Returns whether it could. */
  async advance(from: Oid, to: Oid): Promise<boolean> {
    return await this.#withIndex(async (options) => {
      const changes = await listChanges(this.#objects, from, to);
      const states = await Promise.all(changes.map((change) => this.#stateOf(change)));
      if (states.includes("other")) return false;
      const done = changes.filter((_, index) => states[index] === "new");
      const reached = await this.#markDone(options, from, done);
      const moved = await this.#objects.run(["read-tree", "-m", "-u", reached, to], options);
      if (moved.exitCode !== 0) return false;
      await this.#installIndex(options.env.GIT_INDEX_FILE);
      return true;
    });
  }

  /** Finishes a move that a crash interrupted: the index is still that of the old commit. */
  async finish(from: Oid, to: Oid): Promise<void> {
    if ((await this.#findUnsupported(from, to)) !== undefined) return;
    const isOld = await this.#withIndex((options) => this.#isIndexOf(options, from));
    if (isOld) await this.advance(from, to);
  }

  async #findUnsupported(from: Oid, to: Oid): Promise<string | undefined> {
    const { gitDir } = this.#checkout;
    const interrupted = await findInterrupted(gitDir);
    if (interrupted !== undefined) return `it has an unfinished git operation (${interrupted})`;
    if ((await readdir(gitDir)).some((name) => name.startsWith("sharedindex."))) return "its index is split";
    return await findConversion(this.#repository, this.#objects, this.#checkout, [from, to]);
  }

  async #findChange(options: IndexOptions, from: Oid, to: Oid): Promise<string | undefined> {
    const tags = (await this.#objects.text(["ls-files", "-v", "-z"], options)).split("\0").filter(Boolean);
    const hidden = tags.find((tag) => !tag.startsWith("H "));
    if (hidden !== undefined) return `git is told to ignore changes of \`${hidden.slice(2)}\``;
    if (!(await this.#isIndexOf(options, from))) return "it has staged changes";
    await this.#objects.run(["update-index", "-q", "--really-refresh"], options);
    const differing = await this.#objects.text(["diff-files", "--name-only", "-z"], options);
    if (differing !== "") return `\`${differing.split("\0")[0]}\` has changes that are not committed`;
    const tried = await this.#objects.run(["read-tree", "-n", "-m", "-u", from, to], options);
    if (tried.exitCode === 0) return undefined;
    return tried.stderr
      .trim()
      .replace(/^error: /u, "")
      .replaceAll(/\s*\n\s*/gu, " ");
  }

  async #isIndexOf(options: IndexOptions, commit: Oid): Promise<boolean> {
    return (await this.#objects.run(["diff-index", "--cached", "--quiet", commit], options)).exitCode === 0;
  }

  /** Works on a copy of the user's index. */
  async #withIndex<Result>(work: (options: IndexOptions) => Promise<Result>): Promise<Result> {
    const file = `${this.#objects.indexFile(this.folder)}-${randomUUID()}`;
    await copyIndex(join(this.#checkout.gitDir, "index"), file);
    try {
      return await work({ env: { GIT_INDEX_FILE: file, GIT_WORK_TREE: this.folder }, cwd: this.folder });
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Enters files that were written before a crash into the index, and returns the tree that it then has. */
  async #markDone(options: IndexOptions, from: Oid, done: readonly FileChange[]): Promise<Oid> {
    if (done.length === 0) return from;
    const lines = done.map(
      ({ mode, blob, path }) => `${blob === undefined ? "0" : mode} ${blob ?? zeroOid(from)}\t${path}\0`,
    );
    await this.#objects.text(["update-index", "-z", "--index-info"], { ...options, input: lines.join("") });
    await this.#objects.run(["update-index", "-q", "--refresh"], options);
    return await this.#objects.oid(["write-tree"], options);
  }

  async #installIndex(file: string): Promise<void> {
    const written = join(this.#checkout.gitDir, `segno-index-${randomUUID()}`);
    await copyIndex(file, written);
    await rename(written, join(this.#checkout.gitDir, "index"));
  }

  /** Whether a file is that of the old or of the new commit. */
  async #stateOf({ path, mode, blob, before }: FileChange): Promise<"old" | "new" | "other"> {
    const found = await readEntry(join(this.folder, path), this.#repository.objectFormat);
    if (isEntry(found, blob === undefined ? undefined : { mode, blob })) return "new";
    return isEntry(found, before) ? "old" : "other";
  }
}

interface FoundEntry {
  readonly mode: string;
  readonly blob: string;
}

function isEntry(found: FoundEntry | undefined, expected: FoundEntry | undefined): boolean {
  return found?.mode === expected?.mode && found?.blob === expected?.blob;
}

async function readEntry(path: string, objectFormat: string): Promise<FoundEntry | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return { mode: "040000", blob: "" };
  const content = found.isSymbolicLink() ? await readlink(path, "buffer") : await readFile(path);
  const mode = found.isSymbolicLink() ? "120000" : (found.mode & 0o100) === 0 ? "100644" : "100755";
  return { mode, blob: createHash(objectFormat).update(`blob ${content.length}\0`).update(content).digest("hex") };
}
