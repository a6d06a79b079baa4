// Workspaces that were created before their task starts.
//
//   WW1. A warm workspace is used once, by the session that asks for it. It gets the files of the commit that the task
//        starts from, so a workflow branch that moved in the meantime does no harm.
//   WW2. Every warm workspace that is not used is removed: a wrong guess leaves nothing behind.
//   WW3. Operations on one workspace wait for each other, and nothing is created any more after `close`.

import type { Workspaces } from "../workspaces/workspaces.ts";

interface WarmWorkspace {
  readonly workflowId: string;
  /** Resolves with the commit whose files it has; undefined if it could not be created. */
  readonly base: Promise<string | undefined>;
}

export interface WarmRequest {
  readonly workflowId: string;
  readonly workspaceId: string;
  readonly branch: string;
  readonly base: string;
}

export class WarmWorkspaces {
  readonly #workspaces: Workspaces;
  readonly #warm = new Map<string, WarmWorkspace>();
  /** The workspaces whose sessions have begun: a guess that comes too late must not disturb them. */
  readonly #taken = new Set<string>();

  constructor(workspaces: Workspaces) {
    this.#workspaces = workspaces;
  }

  /** Returns whether there is a warm workspace now. */
  async create({ workflowId, workspaceId, branch, base }: WarmRequest): Promise<boolean> {
    if (this.#taken.has(workspaceId)) return false;
    const existing = this.#warm.get(workspaceId);
    if (existing !== undefined) return (await existing.base) !== undefined;
    const created = this.#create(workspaceId, branch, base);
    this.#warm.set(workspaceId, { workflowId, base: created });
    return (await created) !== undefined;
  }

  /** The path of the warm workspace, with the files of `base`; undefined if there is none (WW1). */
  async take(workspaceId: string, base: string): Promise<string | undefined> {
    this.#taken.add(workspaceId);
    const warm = this.#warm.get(workspaceId);
    const warmBase = await warm?.base;
    this.#warm.delete(workspaceId);
    if (warmBase === undefined) return undefined;
    if (warmBase !== base) await this.#workspaces.checkoutCommit(workspaceId, base);
    return await this.#workspaces.getWorkspacePath(workspaceId);
  }

  /** Removes the unused workspaces of one workflow, or all of them (WW2). */
  async discard(workflowId?: string): Promise<void> {
    for (const [workspaceId, warm] of this.#warm) {
      if (workflowId !== undefined && warm.workflowId !== workflowId) continue;
      const base = await warm.base;
      if (!this.#warm.delete(workspaceId) || base === undefined) continue;
      await this.#workspaces.destroyWorkspace(workspaceId, { isUnused: true });
    }
    for (const id of this.#taken)
      if (workflowId === undefined || id.startsWith(`${workflowId}/`)) this.#taken.delete(id);
  }

  async #create(workspaceId: string, branch: string, base: string): Promise<string | undefined> {
    try {
      // A kept workspace of an earlier attempt is left alone.
      if ((await this.#workspaces.getWorkspacePath(workspaceId)) !== undefined) return undefined;
      await this.#workspaces.createWorkspace({ workspaceId, branch, base });
      return base;
    } catch {
      // A guess is not worth an error: the session creates its workspace itself.
      return undefined;
    }
  }
}
