// Workspaces that are folders with git in them; worktrees and clones differ in the git directory only.
//
//   FW1. The record of a workspace is written before its folder exists. A folder without a complete record was never given
//        to an agent.
//   FW2. A folder that cannot be trusted, or whose files git cannot store, is moved aside and never deleted.
//   FW3. A branch that is checked out in a folder of the user is never moved.

import { lstat, rename } from "node:fs/promises";
import { join } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import type { AgentFolder, BranchClaim, FolderPlace } from "../git/agent-folder.ts";
import { branchRef, checkWorkflowId } from "../git/branch-names.ts";
import { findCheckouts } from "../git/checkouts.ts";
import { collectWork, writeFiles, type CollectedWork } from "../git/collected-work.ts";
import { listChanges } from "../git/file-change.ts";
import { findUnreachable, keepCommit, restartBranch } from "../git/kept-work.ts";
import { ENGINE_IDENTITY, type Identity, type ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import { changeRefs } from "../git/ref-transaction.ts";
import type { Repository } from "../git/repository.ts";
import { COMMIT_POLICY, findRefusal, type CommitPolicy } from "./commit-policy.ts";
import { readWorkspaceId, type WorkspaceIdParts } from "./workspace-id.ts";
import { deleteRecord, readRecord, writeRecord, type WorkspaceRecord } from "./workspace-records.ts";
import { WorkspaceRoot } from "./workspace-root.ts";
import type {
  CommitOutcome,
  CommitRequest,
  DestroyOptions,
  Workspace,
  WorkspaceRequest,
  Workspaces,
  WorkspaceStatus,
} from "./workspaces.ts";

/** Options of workspaces that are folders. */
export interface FolderWorkspacesOptions {
  /** The folder of all workspaces. The default is `.segno/worktrees` in the repository. */
  readonly root?: string;
  /** Rules for commits that replace parts of `COMMIT_POLICY`. */
  readonly policy?: Partial<CommitPolicy>;
  /** The author of the commits. */
  readonly author?: Identity;
}

/** A workspace that exists. */
interface OpenWorkspace {
  readonly id: WorkspaceIdParts;
  readonly executionFolder: string;
  readonly record: WorkspaceRecord;
  readonly folder: AgentFolder;
}

export abstract class FolderWorkspaces implements Workspaces {
  protected readonly repository: Repository;
  protected readonly objects: ObjectGit;
  readonly #root: WorkspaceRoot;
  readonly #policy: CommitPolicy;
  readonly #author: Identity;
  /** The branches that this process has found to be free (FW3), by workspace. */
  readonly #freeBranches = new Map<string, string>();

  /** The commits that our indexes contain, by workspace; missing while an index contains something else. */
  readonly #indexed = new Map<string, Oid>();

  constructor(repository: Repository, objects: ObjectGit, options: FolderWorkspacesOptions = {}) {
    this.repository = repository;
    this.objects = objects;
    this.#root = new WorkspaceRoot(repository.folder, options.root);
    this.#policy = { ...COMMIT_POLICY, ...options.policy };
    this.#author = options.author ?? ENGINE_IDENTITY;
  }

  protected abstract createFolder(place: FolderPlace, claim: BranchClaim): Promise<AgentFolder>;
  protected abstract openFolder(place: FolderPlace, gitDir: string): AgentFolder;

  async createWorkspace({ workspaceId, branch, base }: WorkspaceRequest): Promise<Workspace> {
    const id = readWorkspaceId(workspaceId);
    const start = requireOid(base);
    await this.destroyWorkspace(workspaceId);
    const executionFolder = await this.#root.prepare(id);
    const path = join(executionFolder, id.task);
    await moveAside(path);
    const record: WorkspaceRecord = { branch, base: start, since: start };
    await writeRecord(executionFolder, id.task, record);
    const claim: BranchClaim = (name, head, to) => this.#claim(id, name, head, to);
    const folder = await this.createFolder({ path, branch, base: start }, claim);
    await writeRecord(executionFolder, id.task, { ...record, gitDir: folder.gitDir });
    this.#freeBranches.set(workspaceId, branch);
    this.#indexed.set(workspaceId, start);
    return { workspaceId, path, branch, base };
  }

  async getWorkspaceFolder(execution: string): Promise<string> {
    checkWorkflowId(execution);
    return await this.#root.prepare({ execution });
  }

  async getWorkspacePath(workspaceId: string): Promise<string | undefined> {
    const status = await this.getWorkspaceStatus(workspaceId);
    return status.kind === "missing" ? undefined : status.path;
  }

  async checkoutCommit(workspaceId: string, commit: string): Promise<void> {
    const workspace = await this.#findExisting(workspaceId);
    const { id, executionFolder, record, folder } = workspace;
    const to = requireOid(commit);
    if (!(await folder.isIntact())) throw new CodeError("WORKSPACE_TAMPERED", tamperedReason(folder));
    if (!(await this.#keepFiles(workspace)))
      throw new CodeError("WORKSPACE_TAMPERED", `the files of ${folder.path} cannot be stored by git`);
    await folder.checkout(to);
    this.#indexed.set(workspaceId, to);
    await writeRecord(executionFolder, id.task, { ...record, since: to });
  }

  async commitChanges(workspaceId: string, request: CommitRequest): Promise<CommitOutcome> {
    const { id, executionFolder, record, folder } = await this.#findExisting(workspaceId);
    const since = requireOid(request.since);
    if (request.keepsCommits === true) {
      const head = await this.#committedSince(folder, since);
      if (head !== undefined) return await this.#commitOnTop(workspaceId, request, since, head);
    }
    const parents = (request.parents ?? [since]).map(requireOid);
    this.#indexed.delete(workspaceId);
    const work = await collect(this.objects, folder, since, parents);
    if (work.kind !== "changed") return work;
    const { tree, changes, stats, isFromFiles } = work;
    const reason = await findRefusal(this.objects, this.#policy, {
      tree,
      changes,
      folder: isFromFiles ? folder.path : undefined,
      conflictedPaths: request.conflictedPaths ?? [],
    });
    if (reason !== undefined) return { kind: "refused", reason };
    const { message, atMs } = request;
    const commit = await this.objects.commit({ tree, parents, message, author: this.#author, atMs });
    await this.#checkFree(workspaceId, folder);
    await this.#moveBranch(id, record.branch, parents[0] ?? since, commit);
    await folder.followBranch(commit);
    await writeRecord(executionFolder, id.task, { ...record, since: commit });
    if (isFromFiles) {
      await folder.shareIndex();
      this.#indexed.set(workspaceId, commit);
    }
    return { kind: "committed", commit, changedFiles: changes.map(({ path }) => path), diff: stats };
  }

  /** The head of the branch, if it has commits after this one. */
  async #committedSince(folder: AgentFolder, since: Oid): Promise<Oid | undefined> {
    if (!(await folder.isIntact())) return undefined;
    const head = await folder.agentHead();
    if (head === undefined || head === since) return undefined;
    const { exitCode } = await this.objects.run(["merge-base", "--is-ancestor", since, head]);
    return exitCode === 0 ? head : undefined;
  }

  async #commitOnTop(workspaceId: string, request: CommitRequest, since: Oid, head: Oid): Promise<CommitOutcome> {
    const { id, record } = await this.#findExisting(workspaceId);
    await this.#moveBranch(id, record.branch, since, head);
    const { conflictedPaths = [], message, atMs } = request;
    const added = await this.commitChanges(workspaceId, { since: head, conflictedPaths, message, atMs });
    if (added.kind !== "unchanged") return added;
    const changes = await listChanges(this.objects, since, await this.objects.tree(head));
    return { kind: "committed", commit: head, changedFiles: changes.map(({ path }) => path) };
  }

  async getWorkspaceStatus(workspaceId: string): Promise<WorkspaceStatus> {
    const workspace = await this.#find(workspaceId);
    if (workspace === undefined || workspace.record.isRemoved === true) return { kind: "missing" };
    const { folder, record } = workspace;
    const { path } = folder;
    if ((await lstat(path).catch(() => undefined)) === undefined) return { kind: "missing" };
    if (!(await folder.isIntact())) return { kind: "tampered", path, reason: tamperedReason(folder) };
    const head = (await this.repository.resolve(branchRef(record.branch))) ?? record.base;
    return { kind: "present", path, branch: record.branch, head };
  }

  async destroyWorkspace(workspaceId: string, { isUnused = false }: DestroyOptions = {}): Promise<void> {
    const workspace = await this.#find(workspaceId);
    if (workspace === undefined) return;
    const { id, executionFolder, folder, record } = workspace;
    if (record.isRemoved === true || (await this.#keepAll(workspace))) {
      // A process that dies while it removes the folder leaves a part of it, which looks as if an agent had damaged it.
      await writeRecord(executionFolder, id.task, { ...record, isRemoved: true });
      await folder.remove();
    } else {
      await moveAside(folder.path);
      await folder.forget();
    }
    await deleteRecord(executionFolder, id.task);
    this.#freeBranches.delete(workspaceId);
    this.#indexed.delete(workspaceId);
    // A branch that has moved is not unused, and stays.
    if (isUnused)
      await changeRefs(this.repository, [{ kind: "delete", ref: branchRef(record.branch), from: record.base }]);
  }

  async #find(workspaceId: string): Promise<OpenWorkspace | undefined> {
    const id = readWorkspaceId(workspaceId);
    const executionFolder = await this.#root.find(id);
    if (executionFolder === undefined) return undefined;
    const record = await readRecord(executionFolder, id.task);
    if (record === undefined) return undefined;
    const path = join(executionFolder, id.task);
    const { branch, base, gitDir } = record;
    // An agent can write the record, and the engine would move the branch that the record names.
    const known = this.#freeBranches.get(workspaceId) ?? branch;
    if (known !== branch)
      throw new CodeError("WORKSPACE_TAMPERED", `the record of ${path} names \`${branch}\`, and not \`${known}\``);
    if (gitDir === undefined) {
      await this.#removeIncomplete(executionFolder, id.task, { path, branch, base });
      return undefined;
    }
    return { id, executionFolder, record, folder: this.openFolder({ path, branch, base }, gitDir) };
  }

  async #findExisting(workspaceId: string): Promise<OpenWorkspace> {
    const workspace = await this.#find(workspaceId);
    if (workspace === undefined || workspace.record.isRemoved === true)
      throw new CodeError("WORKSPACE_MISSING", `there is no workspace ${workspaceId}`);
    return workspace;
  }

  /** FW1. Removal of the folder is enough; the next creation removes the entry of a worktree. */
  protected abstract removeIncompleteFolder(place: FolderPlace): Promise<void>;

  async #removeIncomplete(executionFolder: string, task: string, place: FolderPlace): Promise<void> {
    await this.removeIncompleteFolder(place);
    await deleteRecord(executionFolder, task);
  }

  /** Keeps everything that would be lost with the folder. Returns whether all of it could be kept. */
  async #keepAll(workspace: OpenWorkspace): Promise<boolean> {
    const { id, record, folder } = workspace;
    if ((await lstat(folder.path).catch(() => undefined)) === undefined) return true;
    if (!(await folder.isIntact()) || !(await this.#keepFiles(workspace))) return false;
    if (await folder.hasNestedFiles(record.since)) return false;
    try {
      const commits = (await folder.strayCommits()).filter((commit) => commit !== record.since);
      for (const commit of await findUnreachable(this.repository, commits))
        await keepCommit(this.repository, id, commit);
      return true;
    } catch (error) {
      if (error instanceof CodeError && error.code === "WORKSPACE_TAMPERED") return false;
      throw error;
    }
  }

  /** Keeps the files as a commit if they differ from the commit they came from. */
  async #keepFiles({ id, record, folder }: OpenWorkspace): Promise<boolean> {
    const { since } = record;
    const workspaceId = `${id.execution}/${id.task}`;
    if (this.#indexed.get(workspaceId) === since && !(await folder.hasChanges())) return true;
    this.#indexed.delete(workspaceId);
    const written = await writeFiles(this.objects, folder, since);
    if (written.kind === "refused") return false;
    if (written.tree === (await this.objects.tree(since))) return true;
    const message = `Kept changes of ${workspaceId}\n`;
    const { tree } = written;
    const commit = { tree, parents: [since], message, author: this.#author, atMs: 0 };
    await keepCommit(this.repository, id, await this.objects.commit(commit));
    return true;
  }

  async #claim(id: WorkspaceIdParts, branch: string, head: Oid, base: Oid): Promise<void> {
    await this.#refuseCheckedOut(branch);
    if (head !== base) await restartBranch(this.repository, id, branch, head, base);
  }

  /** The agent may have moved the branch itself; its commits are kept then. */
  async #moveBranch(id: WorkspaceIdParts, branch: string, from: Oid, to: Oid): Promise<void> {
    const ref = branchRef(branch);
    const outcome = await changeRefs(this.repository, [{ kind: "update", ref, from, to }]);
    if (outcome.kind === "committed") return;
    const head = await this.repository.resolve(ref);
    if (head === to) return;
    if (head !== undefined) return await restartBranch(this.repository, id, branch, head, to);
    const created = await changeRefs(this.repository, [{ kind: "create", ref, to }]);
    if (created.kind === "moved")
      throw new CodeError("GIT_FAILED", `\`${branch}\` moved while work was committed to it`);
  }

  async #checkFree(workspaceId: string, folder: AgentFolder): Promise<void> {
    if (this.#freeBranches.get(workspaceId) === folder.branch) return;
    await this.#refuseCheckedOut(folder.branch);
    this.#freeBranches.set(workspaceId, folder.branch);
  }

  /** FW3. */
  async #refuseCheckedOut(branch: string): Promise<void> {
    const [checkout] = await findCheckouts(this.repository, branch);
    if (checkout !== undefined)
      throw new CodeError("BRANCH_CHECKED_OUT", `\`${branch}\` is checked out in ${checkout.folder}`);
  }
}

async function collect(
  objects: ObjectGit,
  folder: AgentFolder,
  since: Oid,
  heads: readonly Oid[],
): Promise<CollectedWork | Extract<CommitOutcome, { readonly kind: "tampered" }>> {
  try {
    return await collectWork(objects, folder, { since, heads });
  } catch (error) {
    if (error instanceof CodeError && error.code === "WORKSPACE_TAMPERED")
      return { kind: "tampered", reason: error.message };
    throw error;
  }
}

function tamperedReason({ path }: AgentFolder): string {
  return `the git directory of ${path}, or a part of it, was replaced`;
}

/** FW2. */
async function moveAside(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  for (let n = 1; ; n++) {
    const aside = `${path}.kept-${n}`;
    if ((await lstat(aside).catch(() => undefined)) === undefined) return await rename(path, aside);
  }
}

function requireOid(commit: string): Oid {
  if (!isOid(commit)) throw new CodeError("GIT_FAILED", `${JSON.stringify(commit)} is not the id of a commit`);
  return commit;
}
