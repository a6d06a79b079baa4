// The third test listing of source 003, with our names.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryAgents } from "../../src/agents/memory-agents.ts";
import { WorkflowExecutor } from "../../src/executor/workflow-executor.ts";
import { MemoryEvents } from "../../src/events/memory-events.ts";
import { MemoryRepository } from "../../src/git/memory-repository.ts";
import { AutoMergePolicy } from "../../src/merging/policies.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { loadTemplate } from "../../src/template/load-template.ts";
import { MemoryVcs } from "../../src/vcs/memory-vcs.ts";
import { MemoryWorkspaces } from "../../src/workspaces/memory-workspaces.ts";

// The journal is in the working folder.
const before = process.cwd();
const folder = mkdtempSync(join(tmpdir(), "segno-listing-"));
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

describe("Workflow execution", () => {
  it("CODE-14 executes a simple workflow from its template to the end", async () => {
    const repository = new MemoryRepository();
    await using executor = new WorkflowExecutor({
      taskBackend: new MemoryTaskBackend(),
      agentExecutor: new MemoryAgents(),
      workspacePort: new MemoryWorkspaces(repository),
      vcsPort: new MemoryVcs(repository),
      stepMergePolicy: new AutoMergePolicy(),
      workflowMergePolicy: new AutoMergePolicy(),
      eventPort: new MemoryEvents(),
    });

    const template = loadTemplate(join(import.meta.dirname, "simple-feature.yaml"));
    const workflowId = await executor.instantiateTemplate(template, {});
    const result = await executor.executeWorkflow(workflowId);

    expect(result.success).toBe(true);
    expect(result.completedTasks).toHaveLength(template.tasks.length);
  });
});
