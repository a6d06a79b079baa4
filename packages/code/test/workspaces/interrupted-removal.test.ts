// A process that died while it removed the folder of a workspace.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { GitBranches } from "../../src/vcs/git-branches.ts";
import { GitClones } from "../../src/workspaces/git-clones.ts";
import { GitWorktrees } from "../../src/workspaces/git-worktrees.ts";
import { SampleRepository } from "../git/sample-repository.ts";

const ID = "x/t";

describe.each([
  ["worktree", GitWorktrees],
  ["clone", GitClones],
] as const)("the %s whose removal was interrupted", (_, Workspaces) => {
  it("CODE-9 CODE-10 is removed by the next process, and not moved aside as if it were damaged", async () => {
    await using sample = new SampleRepository();
    const { repository, objects } = await sample.open();
    const workspaces = new Workspaces(repository, objects);
    const base = await new GitBranches(repository, objects).createBranch("workflow/x", "main");
    const { path } = await workspaces.createWorkspace({ workspaceId: ID, branch: "task/x-t", base });
    const record = join(dirname(path), ".records", "t.json");
    const written = JSON.parse(readFileSync(record, "utf8")) as object;
    // The record says that the folder is being removed; git's own file in it is gone already, and others are not.
    writeFileSync(record, JSON.stringify({ ...written, isRemoved: true }));
    rmSync(join(path, ".git"), { recursive: true });
    // It was killed while it wrote the record once more.
    writeFileSync(join(dirname(record), "t.new"), "{");
    const next = new Workspaces(repository, objects);
    expect(await next.getWorkspaceStatus(ID)).toEqual({ kind: "missing" });
    await next.destroyWorkspace(ID);
    expect([existsSync(path), existsSync(record)]).toEqual([false, false]);
    expect(readdirSync(dirname(path)).filter((name) => name !== ".records")).toEqual([]);
    expect(readdirSync(dirname(record))).toEqual([]);
    expect(sample.git("worktree", "list").split("\n")).toHaveLength(1);
    await next.createWorkspace({ workspaceId: ID, branch: "task/x-t", base });
    expect(await next.getWorkspaceStatus(ID)).toMatchObject({ kind: "present" });
  });
});
