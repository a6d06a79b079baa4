// Git on the objects of the user's repository, without its configuration.
//
// Filters, merge drivers and attributes run programs that the configuration of a repository names, and an agent can write
// to that configuration. So everything that reads or writes file contents runs in a git directory of our own, which has
// an empty configuration, no refs and no hooks, and which stores its objects in the user's repository. The directory is
// created when the repository is opened and holds nothing that must survive the process (`own-directory.ts`).
//
//   O1. The user's and the machine's configuration are not read either: an agent runs under the user's name.
//   O2. Files that the user's repository ignores by `info/exclude` are ignored here too, as they were when it was opened.

import { createHash } from "node:crypto";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import { join } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import type { ObjectInfo } from "./batch-answers.ts";
import { requireText, type GitOptions, type GitResult } from "./git.ts";
import { BATCH_COMMAND, ObjectReader } from "./object-reader.ts";
import { isOid, type Oid } from "./oid.ts";
import { OwnDirectory } from "./own-directory.ts";
import type { Repository } from "./repository.ts";

/** The author of commits. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** The author of commits that the engine makes. */
export const ENGINE_IDENTITY: Identity = { name: "Segno", email: "segno@localhost" };

export interface NewCommit {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly message: string;
  readonly author: Identity;
  /** The same commit made again gets the same id if it has the same time. */
  readonly atMs: number;
}

export interface TreeEntry {
  readonly mode: string;
  readonly blob: Oid;
  readonly path: string;
}

export class ObjectGit {
  readonly #repository: Repository;
  readonly #directory: OwnDirectory;
  /** The trees of commits that were made here. */
  readonly #trees = new Map<Oid, Oid>();

  readonly #environment: Readonly<Record<string, string>>;
  readonly #reader: ObjectReader;

  private constructor(repository: Repository, directory: OwnDirectory) {
    this.#repository = repository;
    this.#directory = directory;
    const env = {
      GIT_DIR: directory.path,
      GIT_OBJECT_DIRECTORY: join(repository.commonDir, "objects"),
      GIT_CONFIG_GLOBAL: devNull,
      GIT_CONFIG_NOSYSTEM: "1",
    };
    this.#environment = env;
    this.#reader = new ObjectReader(() => repository.git.start(BATCH_COMMAND, { env }));
  }

  static async open(repository: Repository): Promise<ObjectGit> {
    const directory = await OwnDirectory.create();
    const gitDir = directory.path;
    for (const folder of ["refs", "objects", "info", "indexes"]) await mkdir(join(gitDir, folder));
    await writeFile(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
    await writeFile(join(gitDir, "config"), configText(repository.objectFormat));
    await copyFile(join(repository.commonDir, "info", "exclude"), join(gitDir, "info", "exclude")).catch(() => {});
    return new ObjectGit(repository, directory);
  }

  /** Removes the directory. The objects are in the user's repository and stay. */
  async close(): Promise<void> {
    await this.#reader.close();
    await this.#directory.remove();
  }

  /** The file of our own index of a folder. */
  indexFile(folder: string): string {
    return join(this.#directory.path, "indexes", createHash("sha256").update(folder).digest("hex"));
  }

  run(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    return this.#repository.git.run(args, { ...options, env: { ...this.#environment, ...options.env } });
  }

  async text(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return requireText(args, await this.run(args, options));
  }

  /** Runs git and requires that it prints the id of an object. */
  async oid(args: readonly string[], options: GitOptions = {}): Promise<Oid> {
    const text = await this.text(args, options);
    if (!isOid(text))
      throw new CodeError("GIT_FAILED", `\`git ${args[0]}\` printed no object id: ${text.slice(0, 80)}`);
    return text;
  }

  async tree(commit: Oid): Promise<Oid> {
    return this.#trees.get(commit) ?? (await this.#info(`${commit}^{tree}`)).oid;
  }

  /** The entries of a commit or a tree, with those of its folders. */
  async listFiles(commit: Oid): Promise<readonly TreeEntry[]> {
    const lines = (await this.text(["ls-tree", "-r", "-z", "--full-tree", commit])).split("\0").filter(Boolean);
    return lines.map((line) => {
      const [mode = "", , blob = ""] = line.slice(0, line.indexOf("\t")).split(" ");
      return { mode, blob: blob as Oid, path: line.slice(line.indexOf("\t") + 1) };
    });
  }

  /** Contents of blobs, in the given order. */
  readBlobs(blobs: readonly Oid[]): Promise<readonly Buffer[]> {
    return this.#reader.contents(blobs);
  }

  /** Sizes of blobs in bytes, in the given order. */
  async blobSizes(blobs: readonly Oid[]): Promise<readonly number[]> {
    return (await Promise.all(blobs.map((blob) => this.#info(blob)))).map(({ bytes }) => bytes);
  }

  async #info(name: string): Promise<ObjectInfo> {
    const found = await this.#reader.info(name);
    if (found === undefined) throw new CodeError("GIT_FAILED", `git cannot read the object ${name}`);
    return found;
  }

  /** Creates a commit. No hook runs, and no ref changes. */
  async commit({ tree, parents, message, author, atMs }: NewCommit): Promise<Oid> {
    const date = `@${Math.floor(atMs / 1000)} +0000`;
    const env = {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_COMMITTER_DATE: date,
    };
    const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
    const commit = await this.oid(args, { env, input: message });
    this.#trees.set(commit, tree);
    return commit;
  }
}

function configText(objectFormat: string): string {
  if (objectFormat === "sha1") return "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
  return `[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectformat = ${objectFormat}\n`;
}
