// An agent can write everywhere in its worktree and in the shared git directory. Nothing that it plants there may run.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { branchRef, landedRef } from "../../src/git/branch-names.ts";
import { collectWork, type CollectedWork } from "../../src/git/collected-work.ts";
import { land } from "../../src/git/landing.ts";
import { mergeTrees } from "../../src/git/merge-trees.ts";
import type { ObjectGit } from "../../src/git/object-git.ts";
import type { Oid } from "../../src/git/oid.ts";
import type { Repository } from "../../src/git/repository.ts";
import type { Worktree } from "../../src/git/worktree.ts";
import { Worktree as Created } from "../../src/git/worktree.ts";
import { plant } from "./planted-programs.ts";
import { GitLandingRepository } from "../../src/vcs/git-landing-repository.ts";
import { SampleRepository } from "./sample-repository.ts";

interface Opened {
  readonly repository: Repository;
  readonly objects: ObjectGit;
  readonly worktree: Worktree;
}

function collect({ objects, worktree }: Opened): Promise<CollectedWork> {
  return collectWork(objects, worktree, { since: worktree.base, heads: [] });
}

/** Everything the engine does after an agent has worked. */
async function integrate({ repository, objects, worktree }: Opened): Promise<void> {
  const work = await collectWork(objects, worktree, { since: worktree.base, heads: [] });
  if (work.kind !== "changed") throw new Error(`the work is ${work.kind}`);
  const author = { name: "Segno", email: "segno@example.com" };
  const parents = [worktree.base];
  const source = await objects.commit({ tree: work.tree, parents, message: "task", author, atMs: 0 });
  await repository.text(["update-ref", branchRef(worktree.branch), source, worktree.base]);
  const head = await repository.resolveBase("main");
  const merged = await mergeTrees(objects, head, source);
  const commit = await objects.commit({
    tree: merged.tree,
    parents: [head, source],
    message: "merge",
    author,
    atMs: 0,
  });
  await repository.text(["update-ref", "refs/heads/workflow/x", head]);
  const target = { ref: branchRef("workflow/x"), head };
  await land(new GitLandingRepository(repository, objects), {
    target,
    source: { ref: branchRef(worktree.branch), head: source },
    commit,
    marker: landedRef("x", "t"),
  });
  await worktree.remove();
}

/** A remote whose program git would run to fetch an object that is missing, and a branch with such an object. */
function plantPromisor(sample: SampleRepository): void {
  const other = join(sample.root, "other");
  sample.git("init", "--quiet", "--bare", other);
  const settings = {
    "remote.evil.url": other,
    "remote.evil.promisor": "true",
    "remote.evil.uploadpack": `touch '${join(sample.canaries, "promisor")}'; git-upload-pack`,
    "core.repositoryformatversion": "1",
    "extensions.partialClone": "evil",
    "protocol.allow": "always",
    "protocol.file.allow": "always",
  };
  for (const [key, value] of Object.entries(settings)) sample.git("config", key, value);
  writeFileSync(join(sample.folder, ".git/refs/heads/lost"), `${"12".repeat(20)}\n`);
}

describe("a missing object", () => {
  it("CODE-11 is not fetched by a program that an agent names", async () => {
    await using sample = new SampleRepository();
    const { repository, objects } = await sample.open();
    plantPromisor(sample);
    const missing = "12".repeat(20) as Oid;
    expect(await repository.resolve(branchRef("lost"))).toBeUndefined();
    await repository.run(["rev-parse", "--verify", "refs/heads/lost^{commit}"]);
    await repository.run(["merge-base", "--is-ancestor", missing, "main"]);
    await repository.run(["rev-list", "--all"]);
    await repository.run(["update-ref", "refs/heads/other", missing]);
    await expect(objects.readBlobs([missing])).rejects.toMatchObject({ code: "GIT_FAILED" });
    expect(sample.canariesRun).toEqual([]);
    // Plain git runs it, and writes a setting about it.
    expect(() => sample.watched.act(() => sample.git("cat-file", "-p", missing))).toThrow("cat-file");
    expect(sample.canariesRun).toEqual(["promisor"]);
  });
});

describe("the content of a file", () => {
  it("CODE-4 CODE-11 is the committed one, also if an agent replaces the object by another", async () => {
    await using sample = new SampleRepository({ "a.txt": "committed\n", "b.txt": "harmless\n" });
    const { objects } = await sample.open();
    const [committed, harmless] = ["a.txt", "b.txt"].map((path) => sample.git("rev-parse", `main:${path}`) as Oid);
    sample.git("replace", committed!, harmless!);
    expect(sample.git("cat-file", "-p", committed!)).toBe("harmless");
    const [content] = await objects.readBlobs([committed!]);
    expect(content!.toString("utf8")).toBe("committed\n");
  });
});

describe("an agent", () => {
  it("CODE-11 plants hooks, filters, drivers and monitors, and none of them runs", async () => {
    await using sample = new SampleRepository({
      "a.txt": "one\n",
      ".gitattributes": "* filter=evil merge=evil diff=evil\n",
    });
    const opened = await sample.openWorktree();
    plant(sample);
    sample.write({ "a.txt": "two\n", "new.txt": "new\n" }, opened.worktree.path);
    const { base } = opened.worktree;
    await sample
      .open()
      .then(({ repository, objects }) =>
        Created.create(repository, objects, { path: join(sample.root, "worktrees", "u"), branch: "task/x-u", base }),
      );
    await integrate(opened);
    expect(sample.canariesRun).toEqual([]);
    rmSync(join(sample.folder, ".git", "info", "attributes"));
    expect(sample.git("cat-file", "-p", "workflow/x:a.txt")).toBe("two");
  });

  it("CODE-11 plants programs that plain git would run", async () => {
    await using sample = new SampleRepository({ "a.txt": "one\n" });
    const { worktree } = await sample.openWorktree();
    plant(sample);
    sample.write({ "a.txt": "two\n" }, worktree.path);
    sample.gitIn(worktree.path, "add", "--all");
    expect(sample.canariesRun).toEqual(expect.arrayContaining(["fsmonitor", "process"]));
  });

  it("CODE-11 that replaces `.git` is noticed, and nothing runs", async () => {
    await using sample = new SampleRepository();
    await using evil = new SampleRepository();
    const opened = await sample.openWorktree();
    plant(evil);
    writeFileSync(join(opened.worktree.path, ".git"), `gitdir: ${join(evil.folder, ".git")}\n`);
    sample.write({ "a.txt": "two\n" }, opened.worktree.path);
    await expect(integrate(opened)).rejects.toMatchObject({ code: "WORKSPACE_TAMPERED" });
    await opened.worktree.remove();
    expect([...sample.canariesRun, ...evil.canariesRun]).toEqual([]);
    expect(evil.git("log", "--oneline").split("\n")).toHaveLength(1);
  });
});

describe("the work of an agent", () => {
  it("CODE-4 is complete if the agent committed some of it, or switched to a branch of its own", async () => {
    await using sample = new SampleRepository();
    const opened = await sample.openWorktree();
    const { path } = opened.worktree;
    sample.write({ "a.txt": "two\n" }, path);
    sample.gitIn(path, "checkout", "--quiet", "-b", "mine");
    sample.gitIn(path, "commit", "--quiet", "--all", "--message", "mine");
    sample.write({ "b.txt": "three\n" }, path);
    const work = await collect(opened);
    expect(work).toMatchObject({ kind: "changed", changes: [{ path: "a.txt" }, { path: "b.txt", status: "added" }] });
  });

  it("CODE-4 is taken from its branch if the agent committed there and left", async () => {
    await using sample = new SampleRepository();
    const opened = await sample.openWorktree();
    const { path } = opened.worktree;
    sample.write({ "a.txt": "two\n" }, path);
    sample.gitIn(path, "commit", "--quiet", "--all", "--message", "mine");
    sample.gitIn(path, "checkout", "--quiet", "--detach", opened.worktree.base);
    const work = await collect(opened);
    expect(work).toMatchObject({ kind: "changed", changes: [{ path: "a.txt", status: "changed" }] });
  });

  it("CODE-4 cannot be hidden by marks in the index", async () => {
    await using sample = new SampleRepository();
    const opened = await sample.openWorktree();
    const { path } = opened.worktree;
    sample.gitIn(path, "update-index", "--assume-unchanged", "a.txt");
    sample.write({ "a.txt": "two\n" }, path);
    const work = await collect(opened);
    expect(work).toMatchObject({ kind: "changed", changes: [{ path: "a.txt" }] });
  });

  it("CODE-4 is nothing if no file changed", async () => {
    await using sample = new SampleRepository({ "a.txt": "one\n", ".gitignore": "ignored\n" });
    const opened = await sample.openWorktree();
    sample.write({ ignored: "x" }, opened.worktree.path);
    expect(await collect(opened)).toEqual({ kind: "unchanged" });
  });

  it.each(["with", "without"])("CODE-4 is refused with a nested repository %s commits", async (kind) => {
    await using sample = new SampleRepository();
    const opened = await sample.openWorktree();
    const nested = join(opened.worktree.path, "nested");
    mkdirSync(nested);
    sample.gitIn(nested, "init", "--quiet");
    sample.write({ "n.txt": "n\n" }, nested);
    if (kind === "with") {
      sample.gitIn(nested, "add", "--all");
      sample.gitIn(nested, "commit", "--quiet", "--message", "nested");
    }
    const work = await collect(opened);
    expect(work).toMatchObject({ kind: "refused", reason: expect.stringContaining("nested") as string });
  });

  it("CODE-4 is refused while a rebase with conflicts is unfinished", async () => {
    await using sample = new SampleRepository();
    const opened = await sample.openWorktree();
    const { path } = opened.worktree;
    const other = await sample.commitOn("other", opened.worktree.base, { "a.txt": "other\n" });
    sample.write({ "a.txt": "mine\n" }, path);
    sample.gitIn(path, "commit", "--quiet", "--all", "--message", "mine");
    expect(() => sample.gitIn(path, "rebase", "--quiet", other)).toThrow();
    const work = await collect(opened);
    expect(work).toMatchObject({ kind: "refused", reason: expect.stringContaining("rebase") as string });
  });
});

describe("the user's checkout", () => {
  it("CODE-11 is the same after a task, dirty or clean", async () => {
    await using sample = new SampleRepository({ "a.txt": "one\n", "b.txt": "one\n" });
    sample.write({ "a.txt": "dirty\n", "untracked.txt": "u\n", "b.txt": "staged\n" });
    sample.git("add", "b.txt");
    const before = sample.checkout();
    const opened = await sample.openWorktree();
    sample.write({ "c.txt": "new\n" }, opened.worktree.path);
    await integrate(opened);
    expect(sample.checkout()).toBe(before);
  });
});

describe("worktrees", () => {
  it("CODE-3 are created in parallel in a repository with a remote", async () => {
    await using sample = new SampleRepository();
    sample.git("remote", "add", "origin", sample.folder);
    sample.git("fetch", "--quiet", "origin");
    const { repository, objects } = await sample.open();
    const base = await repository.resolveBase("main");
    const created = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        Created.create(repository, objects, {
          path: join(sample.root, "worktrees", `t${index}`),
          branch: `task/x-t${index}`,
          base,
        }),
      ),
    );
    for (const worktree of created) expect(sample.gitIn(worktree.path, "status", "--porcelain")).toBe("");
    await Promise.all(created.map((worktree) => worktree.remove()));
    expect(sample.git("worktree", "list").split("\n")).toHaveLength(1);
  });
});
