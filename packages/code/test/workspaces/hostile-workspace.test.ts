// Agents that plant programs, redirect git, or leave their workspaces in a bad state.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Clone } from "../../src/git/clone.ts";
import type { Oid } from "../../src/git/oid.ts";
import { GitBranches } from "../../src/vcs/git-branches.ts";
import type { FolderWorkspaces } from "../../src/workspaces/folder-workspaces.ts";
import { GitClones } from "../../src/workspaces/git-clones.ts";
import { GitWorktrees } from "../../src/workspaces/git-worktrees.ts";
import { plant } from "../git/planted-programs.ts";
import { SampleRepository } from "../git/sample-repository.ts";

const ID = "x/t";
const BRANCH = "task/x-t";

interface Opened {
  readonly workspaces: FolderWorkspaces;
  readonly branches: GitBranches;
  readonly base: string;
  readonly path: string;
}

type Kind = "worktree" | "clone";
const KINDS: readonly Kind[] = ["worktree", "clone"];

async function open(sample: SampleRepository, kind: Kind = "worktree", root?: string): Promise<Opened> {
  const { repository, objects } = await sample.open();
  const options = root === undefined ? {} : { root };
  const workspaces =
    kind === "worktree" ? new GitWorktrees(repository, objects, options) : new GitClones(repository, objects, options);
  const branches = new GitBranches(repository, objects);
  const base = await branches.createBranch("workflow/x", "main");
  const { path } = await workspaces.createWorkspace({ workspaceId: ID, branch: BRANCH, base });
  return { workspaces, branches, base, path };
}

/** Everything that the engine does with the work of an agent. Returns the kinds of the outcomes. */
async function integrate({ workspaces, branches, base }: Opened): Promise<readonly string[]> {
  const committed = await workspaces.commitChanges(ID, { since: base, message: "work", atMs: 0 });
  await workspaces.getWorkspaceStatus(ID);
  if (committed.kind !== "committed") return [committed.kind];
  const marker = { workflowId: "x", name: "t" };
  const source = { source: BRANCH, sourceHead: committed.commit };
  await branches.hasConflicts(BRANCH, "workflow/x");
  const merge = { ...source, target: "workflow/x", marker, isSquashed: false, message: "merge", atMs: 0 };
  const merged = await branches.mergeBranch(merge);
  await workspaces.checkoutCommit(ID, base);
  await workspaces.destroyWorkspace(ID);
  await branches.deleteBranch(BRANCH, committed.commit, marker);
  return [committed.kind, merged.kind];
}

/** A clone with programs in it, and a file of which git has to read the content to tell that it changed. */
function plantNested(sample: SampleRepository, module: SampleRepository, folder: string): void {
  sample.git("clone", "--quiet", module.folder, folder);
  plant(sample, join(folder, ".git"));
  writeFileSync(join(folder, "m.txt"), "x\n");
  utimesSync(join(folder, "m.txt"), 1_000_000, 1_000_000);
}

const kept = (sample: SampleRepository): readonly string[] =>
  sample.git("for-each-ref", "--format=%(objectname)", "refs/segno/x/kept").split("\n").filter(Boolean);

describe.each(KINDS)("an agent in a %s", (kind) => {
  it("CODE-11 plants programs in every git directory it can write, and none of them runs", async () => {
    await using sample = new SampleRepository({ "a.txt": "one\n", ".gitattributes": "* filter=evil merge=evil\n" });
    const opened = await open(sample, kind);
    plant(sample);
    if (kind === "clone") plant(sample, join(opened.path, ".git"));
    sample.write({ "a.txt": "two\n", "new.txt": "new\n" }, opened.path);
    expect(await integrate(opened)).toEqual(["committed", "landed"]);
    expect(sample.canariesRun).toEqual([]);
  });

  it("CODE-11 plants programs in a submodule, and none of them runs", async () => {
    await using sample = new SampleRepository();
    await using module = new SampleRepository({ "m.txt": "m\n" });
    sample.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module.folder, "sub");
    sample.git("commit", "--quiet", "--message", "submodule");
    const opened = await open(sample, kind);
    plantNested(sample, module, join(opened.path, "sub"));
    sample.write({ "a.txt": "two\n" }, opened.path);
    expect(await integrate(opened)).toEqual(["committed", "landed"]);
    expect(sample.canariesRun).toEqual([]);
    expect(readFileSync(join(`${opened.path}.kept-1`, "sub", "m.txt"), "utf8")).toBe("x\n");
  });

  it("CODE-11 plants programs in a repository of its own, and none of them runs", async () => {
    await using sample = new SampleRepository();
    await using module = new SampleRepository({ "m.txt": "m\n" });
    const opened = await open(sample, kind);
    plantNested(sample, module, join(opened.path, "nested"));
    expect([await integrate(opened), await integrate(opened)]).toEqual([["refused"], ["refused"]]);
    await opened.workspaces.destroyWorkspace(ID);
    expect(sample.canariesRun).toEqual([]);
    expect(existsSync(join(`${opened.path}.kept-1`, "nested", "m.txt"))).toBe(true);
  });
});

describe.each(KINDS)("the work of an agent in a %s", (kind) => {
  it("CODE-11 leaves the user's checkout as it is, dirty or not", async () => {
    await using sample = new SampleRepository({ "a.txt": "one\n", "b.txt": "one\n" });
    sample.write({ "a.txt": "dirty\n", "untracked.txt": "u\n", "b.txt": "staged\n" });
    sample.git("add", "b.txt");
    const [before, status] = [sample.everything(), sample.git("status", "--porcelain")];
    const opened = await open(sample, kind);
    sample.write({ "c.txt": "new\n" }, opened.path);
    expect(await integrate(opened)).toEqual(["committed", "landed"]);
    expect(sample.everything()).toEqual(before);
    expect(sample.git("status", "--porcelain")).toBe(status);
  });
});

describe.each(KINDS)("an agent that tampers with its %s", (kind) => {
  it("CODE-11 redirects git to another repository, and its folder is moved aside", async () => {
    await using sample = new SampleRepository();
    await using evil = new SampleRepository();
    plant(evil);
    const opened = await open(sample, kind);
    rmSync(join(opened.path, ".git"), { recursive: true });
    writeFileSync(join(opened.path, ".git"), `gitdir: ${join(evil.folder, ".git")}\n`);
    sample.write({ "a.txt": "two\n" }, opened.path);
    expect(await integrate(opened)).toEqual(["tampered"]);
    await expect(opened.workspaces.checkoutCommit(ID, opened.base)).rejects.toMatchObject({
      code: "WORKSPACE_TAMPERED",
    });
    await opened.workspaces.destroyWorkspace(ID);
    expect(existsSync(opened.path)).toBe(false);
    expect(readFileSync(join(`${opened.path}.kept-1`, "a.txt"), "utf8")).toBe("two\n");
    expect([...sample.canariesRun, ...evil.canariesRun]).toEqual([]);
    expect(evil.git("log", "--oneline").split("\n")).toHaveLength(1);
  });

  it("CODE-11 replaces its folder by a link, and nothing behind the link changes", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample, kind);
    const outside = join(sample.root, "outside");
    renameSync(opened.path, outside);
    symlinkSync(outside, opened.path);
    writeFileSync(join(outside, "mine.txt"), "mine\n");
    expect(await integrate(opened)).toEqual(["tampered"]);
    await opened.workspaces.destroyWorkspace(ID);
    expect(existsSync(opened.path)).toBe(false);
    expect(readdirSync(outside)).toContain("mine.txt");
  });
});

describe("an agent that tampers with the refs of its clone", () => {
  const MINE = "a file of the user\n";

  it.each([
    [".git/refs", "heads/task/x-t"],
    [".git/refs/heads", "task/x-t"],
    [".git/refs/heads/task", "x-t"],
    [".git/refs/heads/task/x-t", ""],
  ])("CODE-11 replaces %s by a link, and nothing behind the link changes", async (place, file) => {
    await using sample = new SampleRepository();
    const opened = await open(sample, "clone");
    const outside = join(sample.root, "outside");
    const target = join(outside, file === "" ? "target" : file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, MINE);
    rmSync(join(opened.path, place), { recursive: true });
    symlinkSync(file === "" ? target : outside, join(opened.path, place));
    sample.write({ "a.txt": "two\n" }, opened.path);
    expect(await integrate(opened)).toEqual(["tampered"]);
    expect(readFileSync(target, "utf8")).toBe(MINE);
    expect(sample.git("rev-parse", BRANCH)).toBe(opened.base);
    await opened.workspaces.destroyWorkspace(ID);
    expect(readFileSync(target, "utf8")).toBe(MINE);
    expect(readFileSync(join(`${opened.path}.kept-1`, "a.txt"), "utf8")).toBe("two\n");
  });

  it("CODE-11 replaces its branch by a folder, and its work is not committed", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample, "clone");
    const ref = join(opened.path, ".git/refs/heads", BRANCH);
    rmSync(ref);
    sample.write({ keep: "x" }, ref);
    sample.write({ "a.txt": "two\n" }, opened.path);
    expect(await integrate(opened)).toEqual(["tampered"]);
    const { repository, objects } = await sample.open();
    const clone = Clone.open(repository, objects, { path: opened.path, branch: BRANCH, base: opened.base as Oid });
    await expect(clone.followBranch(opened.base as Oid)).rejects.toMatchObject({ code: "WORKSPACE_TAMPERED" });
  });

  it("CODE-4 packs its refs, and its work lands", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample, "clone");
    sample.gitIn(opened.path, "pack-refs", "--all");
    sample.write({ "a.txt": "two\n" }, opened.path);
    expect(await integrate(opened)).toEqual(["committed", "landed"]);
  });

  it("CODE-9 nests folders there, which are not walked, and its folder is moved aside", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample, "clone");
    sample.write({ "mine.txt": "mine\n" }, join(opened.path, ".git/refs", "d/".repeat(200)));
    await opened.workspaces.destroyWorkspace(ID);
    expect(existsSync(opened.path)).toBe(false);
    expect(existsSync(join(`${opened.path}.kept-1`, "a.txt"))).toBe(true);
  });
});

describe.each(KINDS)("an agent that uses git itself in a %s", (kind) => {
  it("CODE-9 commits where no branch is, and the commit is kept", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample, kind);
    sample.gitIn(opened.path, "checkout", "--quiet", "--detach");
    sample.write({ "b.txt": "stray\n" }, opened.path);
    sample.gitIn(opened.path, "add", "--all");
    sample.gitIn(opened.path, "commit", "--quiet", "--message", "stray");
    const stray = sample.gitIn(opened.path, "rev-parse", "HEAD");
    sample.gitIn(opened.path, "checkout", "--quiet", opened.base);
    await opened.workspaces.destroyWorkspace(ID);
    expect(kept(sample)).toEqual([stray]);
    expect(sample.git("cat-file", "-p", `${stray}:b.txt`)).toBe("stray");
  });

  it("CODE-4 commits on its branch and leaves it, and the commit counts", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample, kind);
    sample.write({ "b.txt": "work\n" }, opened.path);
    sample.gitIn(opened.path, "add", "--all");
    sample.gitIn(opened.path, "commit", "--quiet", "--message", "mine");
    sample.gitIn(opened.path, "checkout", "--quiet", "--detach", opened.base);
    expect(await integrate(opened)).toEqual(["committed", "landed"]);
    expect(sample.git("cat-file", "-p", "workflow/x:b.txt")).toBe("work");
  });

  it("CODE-9 leaves a nested repository behind, and the folder is moved aside with it", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample, kind);
    const nested = join(opened.path, "nested");
    mkdirSync(nested);
    sample.gitIn(nested, "init", "--quiet");
    sample.write({ "n.txt": "n\n" }, nested);
    expect(await integrate(opened)).toEqual(["refused"]);
    await opened.workspaces.destroyWorkspace(ID);
    expect(readFileSync(join(`${opened.path}.kept-1`, "nested", "n.txt"), "utf8")).toBe("n\n");
    await opened.workspaces.createWorkspace({ workspaceId: ID, branch: BRANCH, base: opened.base });
    expect(existsSync(nested)).toBe(false);
  });

  it("CODE-4 leaves a rebase behind, and its work is refused and kept", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample, kind);
    await sample.commitOn("other", opened.base as never, { "a.txt": "other\n" });
    sample.write({ "a.txt": "mine\n" }, opened.path);
    sample.gitIn(opened.path, "commit", "--quiet", "--all", "--message", "mine");
    expect(() => sample.gitIn(opened.path, "rebase", sample.git("rev-parse", "other"))).toThrow();
    expect(await integrate(opened)).toEqual(["refused"]);
    await opened.workspaces.destroyWorkspace(ID);
    const files = kept(sample).map((commit) => sample.git("cat-file", "-p", `${commit}:a.txt`));
    expect(files.join("\n")).toContain("<<<<<<<");
  });
});

describe.each(KINDS)("a %s", (kind) => {
  it("CODE-3 is created beside 23 others in a repository with a remote", async () => {
    await using sample = new SampleRepository();
    sample.git("remote", "add", "origin", sample.folder);
    sample.git("fetch", "--quiet", "origin");
    const { workspaces, base } = await open(sample, kind);
    const tasks = Array.from({ length: 24 }, (_, index) => `t${index}`);
    const create = (task: string): Promise<unknown> =>
      workspaces.createWorkspace({ workspaceId: `x/${task}`, branch: `task/x-${task}`, base });
    await Promise.all(tasks.map(create));
    const heads = await Promise.all(tasks.map((task) => workspaces.getWorkspaceStatus(`x/${task}`)));
    expect(heads).toEqual(tasks.map(() => expect.objectContaining({ kind: "present", head: base }) as object));
    await Promise.all(tasks.map((task) => workspaces.destroyWorkspace(`x/${task}`)));
    await workspaces.destroyWorkspace(ID);
    expect(sample.git("worktree", "list").split("\n")).toHaveLength(1);
  });
});

describe("the engine", () => {
  it("CODE-11 does not write through a link that the agent put in the place of an index", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample);
    const outside = join(sample.root, "outside.txt");
    writeFileSync(outside, "mine\n");
    const gitDir = readFileSync(join(opened.path, ".git"), "utf8").replace("gitdir: ", "").trim();
    rmSync(join(gitDir, "index"));
    symlinkSync(outside, join(gitDir, "index"));
    await opened.workspaces.checkoutCommit(ID, opened.base);
    expect(readFileSync(outside, "utf8")).toBe("mine\n");
  });

  it("CODE-11 never takes a branch that the user has checked out", async () => {
    await using sample = new SampleRepository();
    const { workspaces, base } = await open(sample);
    const before = sample.everything();
    const request = { workspaceId: "x/u", branch: "main", base };
    await expect(workspaces.createWorkspace(request)).rejects.toMatchObject({ code: "BRANCH_CHECKED_OUT" });
    expect(sample.everything()).toEqual(before);
  });

  it("CODE-11 lands on a branch to which an agent has switched", async () => {
    await using sample = new SampleRepository();
    const opened = await open(sample);
    sample.gitIn(opened.path, "checkout", "--quiet", "workflow/x");
    sample.write({ "b.txt": "b\n" }, opened.path);
    expect(await integrate(opened)).toEqual(["committed", "landed"]);
  });

  it("CODE-9 keeps a folder at the place of a workspace that it did not make", async () => {
    await using sample = new SampleRepository();
    const { workspaces, base, path } = await open(sample);
    const place = `${path}2`;
    sample.write({ "mine.txt": "mine\n" }, place);
    await workspaces.createWorkspace({ workspaceId: `${ID}2`, branch: `${BRANCH}2`, base });
    expect(readFileSync(join(`${place}.kept-1`, "mine.txt"), "utf8")).toBe("mine\n");
  });
});

describe("the folder of the workspaces", () => {
  it("CODE-3 does not appear in the status of the repository", async () => {
    await using sample = new SampleRepository();
    const { path } = await open(sample);
    expect(path).toBe(join(sample.folder, ".segno", "worktrees", "x", "t"));
    expect(sample.git("status", "--porcelain")).toBe("");
  });

  it("CODE-3 may be outside the repository, also behind a link", async () => {
    await using sample = new SampleRepository();
    mkdirSync(join(sample.root, "real"));
    symlinkSync(join(sample.root, "real"), join(sample.root, "link"));
    const { path } = await open(sample, "worktree", join(sample.root, "link"));
    expect(path).toBe(join(sample.root, "real", "x", "t"));
  });

  it("CODE-3 may be another folder of the repository, out of its status", async () => {
    await using sample = new SampleRepository();
    const { path } = await open(sample, "worktree", "build/agents");
    // The user has given this folder to the engine.
    sample.watched.accept();
    expect(path).toBe(join(sample.folder, "build", "agents", "x", "t"));
    expect(sample.git("status", "--porcelain")).toBe("");
  });

  it.each([".segno", ".segno/worktrees", ".segno/worktrees/x"])("CODE-11 is refused if %s is a link", async (place) => {
    await using sample = new SampleRepository();
    const outside = join(sample.root, "outside");
    mkdirSync(outside);
    mkdirSync(join(sample.folder, place, ".."), { recursive: true });
    symlinkSync(outside, join(sample.folder, place));
    await expect(open(sample)).rejects.toMatchObject({ code: "WORKSPACE_ROOT_UNSAFE" });
    expect(readdirSync(outside)).toEqual([]);
  });
});
