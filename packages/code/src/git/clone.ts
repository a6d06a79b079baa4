// A clone: a folder of an agent with a git directory of its own, which borrows objects from the user's repository.
//
//   CL1. An agent in a clone can be denied all writes outside its folder.
//   CL2. The engine never runs git in the clone's git directory. It reads the files of the folder; commits of the agent are
//        read as objects, with a configuration of our own. A fetch would obey parts of the clone's configuration.
//   CL3. A clone that borrows objects from elsewhere than the user's repository was made anew or redirected by the agent: its
//        history is not that of the repository, and objects of other repositories could come with it.
//   CL4. The engine writes the agent's branch. A link on the way to its file would lead the write outside the clone, so a
//        clone with such a link is not intact.

import { lstat, mkdir, opendir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import { AgentFolder, claimAtBase, isRealFolder, type BranchClaim, type FolderPlace } from "./agent-folder.ts";
import { branchRef } from "./branch-names.ts";
import type { ObjectGit } from "./object-git.ts";
import { isOid, type Oid } from "./oid.ts";
import { readPlainFile } from "./plain-file.ts";
import { changeRefs } from "./ref-transaction.ts";
import type { Repository } from "./repository.ts";

/** The files and folders below the refs of a clone that are read. */
const REFS_MAX = 20_000;
const REF_DEPTH_MAX = 64;

export class Clone extends AgentFolder {
  /** Creates the folder and the branch. A branch that exists is claimed. */
  static async create(
    repository: Repository,
    objects: ObjectGit,
    place: FolderPlace,
    claim: BranchClaim = claimAtBase,
  ): Promise<Clone> {
    const { path, branch, base } = place;
    const created = await changeRefs(repository, [{ kind: "create", ref: branchRef(branch), to: base }]);
    const head = created.kind === "moved" ? await repository.resolve(branchRef(branch)) : undefined;
    if (head !== undefined) await claim(branch, head, base);
    await mkdir(path, { recursive: true });
    const format = `--object-format=${repository.objectFormat}`;
    await repository.git.text(["init", "--quiet", "--template=", format, path]);
    const clone = Clone.open(repository, objects, place);
    await writeFile(clone.#alternates, clone.#lender);
    await writeFile(join(clone.gitDir, "HEAD"), `ref: ${branchRef(branch)}\n`);
    await clone.followBranch(base);
    await clone.checkout(base);
    return clone;
  }

  /** A clone that was created earlier. */
  static open(repository: Repository, objects: ObjectGit, place: FolderPlace): Clone {
    return new Clone(repository, objects, place, join(place.path, ".git"));
  }

  override async isIntact(): Promise<boolean> {
    if (!(await isRealFolder(join(this.gitDir, "objects")))) return false;
    return (await readPlainFile(this.#alternates)) === this.#lender && (await this.#hasPlainBranch());
  }

  /** Whether there are only folders on the way to the file of the branch, and a plain file at its end (CL4). */
  async #hasPlainBranch(): Promise<boolean> {
    const parts = branchRef(this.branch).split("/");
    for (let count = 1; count <= parts.length; count++) {
      const kind = await entryKind(join(this.gitDir, ...parts.slice(0, count)));
      // Git removes the folders of branches that it packs.
      if (kind === "missing") return true;
      if (kind !== (count < parts.length ? "folder" : "file")) return false;
    }
    return true;
  }

  /** The file that names the folders from which objects are borrowed (CL3). */
  get #alternates(): string {
    return join(this.gitDir, "objects", "info", "alternates");
  }

  get #lender(): string {
    return `${join(this.repository.commonDir, "objects")}\n`;
  }

  override async agentHead(): Promise<Oid | undefined> {
    const head = await this.#readRef(branchRef(this.branch));
    if (head !== undefined) await this.#importCommits([head]);
    return head;
  }

  override async strayCommits(): Promise<readonly Oid[]> {
    const log = (await readPlainFile(join(this.gitDir, "logs", "HEAD"))) ?? "";
    const logged = log.split("\n").map((line) => line.split(" ", 2)[1] ?? "");
    const packed = (await this.#packedRefs()).map(([oid]) => oid);
    const heads = [...logged, ...packed, ...(await readLooseRefs(join(this.gitDir, "refs")))];
    const commits = [...new Set(heads.filter(isOid))].filter((head) => head !== this.base && !/^0+$/u.test(head));
    await this.#importCommits(commits);
    return commits;
  }

  override async removeGitDir(): Promise<void> {}

  override async followBranch(head: Oid): Promise<void> {
    if (!(await isRealFolder(this.gitDir)) || !(await this.#hasPlainBranch()))
      throw new CodeError("WORKSPACE_TAMPERED", `the branch in ${this.gitDir} was replaced by a link or a folder`);
    const file = join(this.gitDir, branchRef(this.branch));
    await mkdir(dirname(file), { recursive: true });
    await rm(file, { force: true });
    await writeFile(file, `${head}\n`, { flag: "wx" });
  }

  async #readRef(ref: string): Promise<Oid | undefined> {
    const loose = ((await readPlainFile(join(this.gitDir, ref))) ?? "").trim();
    if (isOid(loose)) return loose;
    return (await this.#packedRefs()).find(([, name]) => name === ref)?.[0];
  }

  async #packedRefs(): Promise<readonly (readonly [Oid, string])[]> {
    const text = (await readPlainFile(join(this.gitDir, "packed-refs"))) ?? "";
    return text.split("\n").flatMap((line) => {
      const [oid = "", name = ""] = line.split(" ");
      return isOid(oid) ? [[oid, name] as const] : [];
    });
  }

  /** CL2. Copies commits and their objects into the repository. */
  async #importCommits(commits: readonly Oid[]): Promise<void> {
    if (commits.length === 0) return;
    const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(this.gitDir, "objects") };
    const input = [...commits, `^${this.base}`].map((each) => `${each}\n`).join("");
    const packed = await this.objects.run(["pack-objects", "--quiet", "--revs", "--stdout"], { env, input });
    if (packed.exitCode !== 0) throw this.#unreadable(packed.stderr);
    // An object whose content does not fit its name gets another name here, and then others refer to an object that is missing.
    const unpacked = await this.objects.run(["unpack-objects", "-q", "--strict"], { input: packed.stdout });
    if (unpacked.exitCode !== 0) throw this.#unreadable(unpacked.stderr);
  }

  #unreadable(reason: string): CodeError {
    return new CodeError("WORKSPACE_TAMPERED", `commits of the agent in ${this.path} are unreadable: ${reason.trim()}`);
  }
}

async function entryKind(path: string): Promise<"missing" | "folder" | "file" | "other"> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return "folder";
    return found.isFile() ? "file" : "other";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "missing" : "other";
  }
}

/** The values of all files below a folder of refs. Links are not followed. Throws if there are too many, or too deep. */
async function readLooseRefs(folder: string): Promise<readonly string[]> {
  if (!(await isRealFolder(folder))) return [];
  const values: string[] = [];
  const folders = [{ path: folder, depth: 0 }];
  let entries = 0;
  for (let each = folders.pop(); each !== undefined; each = folders.pop()) {
    for await (const entry of await opendir(each.path)) {
      if (++entries > REFS_MAX || each.depth > REF_DEPTH_MAX)
        throw new CodeError(
          "WORKSPACE_TAMPERED",
          `${folder} has more refs than Segno reads, or refs that are too deep`,
        );
      const path = join(each.path, entry.name);
      if (entry.isDirectory()) folders.push({ path, depth: each.depth + 1 });
      else if (entry.isFile()) values.push(((await readPlainFile(path)) ?? "").trim());
    }
  }
  return values;
}
