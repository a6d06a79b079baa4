// The second test listing of source 003, with our names.

import { describe, expect, it } from "vitest";
import { MemoryAgents } from "../../src/agents/memory-agents.ts";
import { IntegrationManager } from "../../src/executor/integration-manager.ts";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import { SessionManager } from "../../src/sessions/session-manager.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { MemoryWorkspaces } from "../../src/workspaces/memory-workspaces.ts";

describe("SessionManager and IntegrationManager", () => {
  it("CODE-4 merge the changes of a task after its execution", async () => {
    const repository = new MemoryRepository();
    const workspaces = new MemoryWorkspaces(repository);
    const vcs = new MemoryVcs(repository);
    await vcs.createBranch("workflow/123", "main");
    const task = await new MemoryTaskBackend().createTask({ id: "model", workflowId: "123" });
    const agents = new MemoryAgents({
      otherwise: () => {
        workspaces.write("123/model", "model.txt", "the model");
        return undefined;
      },
    });

    const sessionManager = new SessionManager(workspaces, agents, { branches: vcs });
    const integrationManager = new IntegrationManager(new AutoMergePolicy(), vcs);

    const session = await sessionManager.createSession(task, "workflow/123");
    await sessionManager.executeTask(session);
    const mergeResult = await integrationManager.mergeStep(session.taskBranch, "workflow/123", task);

    expect(mergeResult.success).toBe(true);
    expect(vcs.mergedBranches).toContain(session.taskBranch);
    await sessionManager.cleanupSession(session);
    expect(await workspaces.getWorkspacePath("123/model")).toBeUndefined();
    expect(sessionManager.getActiveSessionCount()).toBe(0);
  });
});
