import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MemoryAgents } from "../../src/agents/memory-agents.ts";
import type { CodeTask } from "../../src/model/task.ts";
import { SessionManager } from "../../src/sessions/session-manager.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { GitBranches } from "../../src/vcs/git-branches.ts";
import { GitWorktrees } from "../../src/workspaces/git-worktrees.ts";
import { SampleRepository } from "../git/sample-repository.ts";

class WarmRepository extends SampleRepository {
  async sessions(): Promise<{ readonly sessions: SessionManager; readonly head: string; readonly task: CodeTask }> {
    const { repository, objects } = await this.open();
    const branches = new GitBranches(repository, objects);
    const head = await branches.createBranch("workflow/w", "main");
    const agents = new MemoryAgents({
      otherwise: ({ request }) => {
        writeFileSync(join(request.workspacePath, "b.txt"), "work\n");
        return undefined;
      },
    });
    const worktrees = new GitWorktrees(repository, objects);
    const sessions = new SessionManager(worktrees, agents, { branches, folder: join(this.root, "sessions") });
    const task = await new MemoryTaskBackend().createTask({ id: "b", workflowId: "w" });
    return { sessions, head, task };
  }

  get worktrees(): number {
    return this.git("worktree", "list", "--porcelain").split("\n\n").length;
  }
}

describe("a session manager", () => {
  it("CODE-10 warms up a task as 003 calls it, from its workflow branch", async () => {
    await using sample = new WarmRepository();
    const { sessions, task } = await sample.sessions();
    expect(await sessions.warmupSession(task)).toBe(true);
    expect(sample.worktrees).toBe(2);
    await sessions.discardWarmSessions();
  });
});

describe("a worktree that was prepared before its task starts", () => {
  it("CODE-3 starts from the workflow branch as it is then, and its work is committed on that", async () => {
    await using sample = new WarmRepository();
    const { sessions, head, task } = await sample.sessions();
    expect(await sessions.warmupSession(task, "workflow/w", head)).toBe(true);
    const moved = sample.commit({ "a.txt": "two\n" });
    sample.git("update-ref", "refs/heads/workflow/w", moved);
    const session = await sessions.createSession(task, "workflow/w");
    expect(readFileSync(join(session.workspacePath, "a.txt"), "utf8")).toBe("two\n");
    const result = await sessions.executeTask(session);
    expect(result).toMatchObject({ success: true, changedFiles: ["b.txt"] });
    expect(sample.git("rev-parse", `${result.commit!}^`)).toBe(moved);
    expect(sample.git("rev-parse", "task/w-b")).toBe(result.commit);
  });

  it("CODE-9 is removed if its task does not start", async () => {
    await using sample = new WarmRepository();
    const { sessions, head, task } = await sample.sessions();
    await sessions.warmupSession(task, "workflow/w", head);
    expect(sample.worktrees).toBe(2);
    await sessions.discardWarmSessions();
    expect(sample.worktrees).toBe(1);
    expect(existsSync(join(sample.folder, ".segno/worktrees/w/b"))).toBe(false);
    expect(sample.git("for-each-ref", "refs/heads/task")).toBe("");
  });
});
