// Workspaces in memory, for tests: the files of a workspace are a map that tests and scripted agents change.
//
// With `folders`, several instances share the folders of one disk, as processes do. With `onStep`, a test can let other
// work happen wherever git would be another process.

import { branchRef, keptRef } from "../git/branch-names.ts";
import { CodeError } from "../errors/code-error.ts";
import { MemoryRepository } from "../git/memory-repository.ts";
import type { MemoryStep } from "../git/memory-step.ts";
import { hasConflictMarkers } from "./conflict-markers.ts";
import { readWorkspaceId } from "./workspace-id.ts";
import type {
  CommitOutcome,
  CommitRequest,
  DestroyOptions,
  Workspace,
  WorkspaceRequest,
  Workspaces,
  WorkspaceStatus,
} from "./workspaces.ts";

/** The folder of a workspace. */
export interface MemoryFolder extends Workspace {
  readonly files: Map<string, string>;
  /** The commit whose files the workspace got last. */
  since: string;
  tamperedBecause: string | undefined;
}

const FOLDER = "/memory";

/** Workspaces in memory, for tests. */
export class MemoryWorkspaces implements Workspaces {
  readonly repository: MemoryRepository;
  readonly #workspaces: Map<string, MemoryFolder>;
  readonly #onStep: MemoryStep;

  constructor(
    repository: MemoryRepository = new MemoryRepository(),
    options: { readonly folders?: Map<string, MemoryFolder>; readonly onStep?: MemoryStep } = {},
  ) {
    this.repository = repository;
    this.#workspaces = options.folders ?? new Map();
    this.#onStep = options.onStep ?? (async () => undefined);
  }

  async createWorkspace({ workspaceId, branch, base }: WorkspaceRequest): Promise<Workspace> {
    readWorkspaceId(workspaceId);
    await this.destroyWorkspace(workspaceId);
    const files = new Map(this.repository.read(base).files);
    const ref = branchRef(branch);
    const head = this.repository.resolve(ref);
    await this.#onStep("keep the old branch");
    if (head !== undefined && !this.repository.isAncestor(head, base)) this.#keep(workspaceId, head);
    await this.#onStep("restart the branch");
    this.repository.move(ref, head, base);
    await this.#onStep("create the folder");
    const workspace = { workspaceId, path: `${FOLDER}/${workspaceId}`, branch, base };
    this.#workspaces.set(workspaceId, { ...workspace, files, since: base, tamperedBecause: undefined });
    return workspace;
  }

  async getWorkspaceFolder(execution: string): Promise<string> {
    return `${FOLDER}/${execution}`;
  }

  async getWorkspacePath(workspaceId: string): Promise<string | undefined> {
    return this.#workspaces.get(workspaceId)?.path;
  }

  async checkoutCommit(workspaceId: string, commit: string): Promise<void> {
    const workspace = this.#find(workspaceId);
    const { files } = this.repository.read(commit);
    this.#keepChanges(workspace);
    workspace.files.clear();
    for (const [path, text] of files) workspace.files.set(path, text);
    workspace.since = commit;
  }

  async commitChanges(workspaceId: string, request: CommitRequest): Promise<CommitOutcome> {
    const workspace = this.#find(workspaceId);
    const { branch, files, tamperedBecause } = workspace;
    if (tamperedBecause !== undefined) return { kind: "tampered", reason: tamperedBecause };
    if (request.keepsCommits === true) {
      const head = this.repository.resolve(branchRef(branch));
      if (head !== undefined && head !== request.since && this.repository.isAncestor(request.since, head))
        return await this.#commitOnTop(workspaceId, request, head);
    }
    const changedFiles = changedPaths(this.repository.read(request.since).files, files);
    if (changedFiles.length === 0) return { kind: "unchanged" };
    const unresolved = request.conflictedPaths?.find((path) => hasConflictMarkers(files.get(path) ?? ""));
    if (unresolved !== undefined) return { kind: "refused", reason: `\`${unresolved}\` still has conflict markers` };
    const { parents = [request.since], message, atMs } = request;
    const commit = this.repository.commit({ files, parents, message, atMs });
    await this.#onStep("move the branch");
    this.repository.move(branchRef(branch), this.repository.resolve(branchRef(branch)), commit);
    workspace.since = commit;
    return { kind: "committed", commit, changedFiles };
  }

  /** Commits of a person on the branch stay; changes beside them are added. */
  async #commitOnTop(
    workspaceId: string,
    { conflictedPaths = [], message, atMs, since }: CommitRequest,
    head: string,
  ): Promise<CommitOutcome> {
    const added = await this.commitChanges(workspaceId, { since: head, conflictedPaths, message, atMs });
    if (added.kind !== "unchanged") return added;
    const changedFiles = changedPaths(this.repository.read(since).files, this.repository.read(head).files);
    return { kind: "committed", commit: head, changedFiles };
  }

  async getWorkspaceStatus(workspaceId: string): Promise<WorkspaceStatus> {
    const workspace = this.#workspaces.get(workspaceId);
    if (workspace === undefined) return { kind: "missing" };
    const { path, branch, tamperedBecause } = workspace;
    if (tamperedBecause !== undefined) return { kind: "tampered", path, reason: tamperedBecause };
    return { kind: "present", path, branch, head: this.repository.resolve(branchRef(branch)) ?? workspace.base };
  }

  async destroyWorkspace(workspaceId: string, { isUnused = false }: DestroyOptions = {}): Promise<void> {
    const workspace = this.#workspaces.get(workspaceId);
    if (workspace === undefined) return;
    this.#keepChanges(workspace);
    await this.#onStep("remove the folder");
    this.#workspaces.delete(workspaceId);
    if (isUnused) this.repository.move(branchRef(workspace.branch), workspace.base, undefined);
  }

  /** Writes a file, as an agent would do it. */
  write(workspaceId: string, path: string, text: string): void {
    this.#find(workspaceId).files.set(path, text);
  }

  /** Deletes a file, as an agent would do it. */
  remove(workspaceId: string, path: string): void {
    this.#find(workspaceId).files.delete(path);
  }

  /** The text of a file; undefined if there is none. */
  read(workspaceId: string, path: string): string | undefined {
    return this.#find(workspaceId).files.get(path);
  }

  /** Marks a workspace as changed in a way that the engine must not trust. */
  tamper(workspaceId: string, reason: string): void {
    this.#find(workspaceId).tamperedBecause = reason;
  }

  #find(workspaceId: string): MemoryFolder {
    const workspace = this.#workspaces.get(workspaceId);
    if (workspace === undefined) throw new CodeError("WORKSPACE_MISSING", `there is no workspace ${workspaceId}`);
    return workspace;
  }

  /** WS4: files that differ from the commit they came from are kept under a ref. */
  #keepChanges({ workspaceId, files, since }: MemoryFolder): void {
    if (changedPaths(this.repository.read(since).files, files).length === 0) return;
    const message = `Kept changes of ${workspaceId}`;
    this.#keep(workspaceId, this.repository.commit({ files, parents: [since], message, atMs: 0 }));
  }

  #keep(workspaceId: string, commit: string): void {
    const { execution, task } = readWorkspaceId(workspaceId);
    for (let n = 1; ; n++) {
      const ref = keptRef(execution, task, n);
      if (this.repository.resolve(ref) === commit || this.repository.move(ref, undefined, commit)) return;
    }
  }
}

function changedPaths(from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): readonly string[] {
  const paths = new Set([...from.keys(), ...to.keys()]);
  return [...paths].filter((path) => from.get(path) !== to.get(path)).toSorted();
}
