import { describe, expect, it } from "vitest";
import { branchRef, landedRef } from "../../src/git/branch-names.ts";
import { land, type Landing } from "../../src/git/landing.ts";
import { mergeTrees } from "../../src/git/merge-trees.ts";
import type { ObjectGit } from "../../src/git/object-git.ts";
import type { Oid } from "../../src/git/oid.ts";
import type { Repository } from "../../src/git/repository.ts";
import { GitLandingRepository } from "../../src/vcs/git-landing-repository.ts";
import { SampleRepository } from "./sample-repository.ts";

const AUTHOR = { name: "Segno", email: "segno@example.com" };

describe("a merge without a checkout", () => {
  it("CODE-5 gives the merged tree", async () => {
    await using sample = new SampleRepository({ "a.txt": "one\n" });
    const { repository, objects } = await sample.open();
    const base = await repository.resolveBase("main");
    const [left, right] = [
      await sample.commitOn("left", base, { "l.txt": "left\n" }),
      await sample.commitOn("right", base, { "r.txt": "right\n" }),
    ];
    const merged = await mergeTrees(objects, left, right);
    expect(merged.kind).toBe("clean");
    expect(sample.git("ls-tree", "--name-only", merged.tree).split("\n")).toEqual(["a.txt", "l.txt", "r.txt"]);
  });

  it("CODE-7 names each conflicting file and what git says about it", async () => {
    await using sample = new SampleRepository({ "both.txt": "one\n", "gone ü.txt": "one\n", "same.txt": "one\n" });
    const { repository, objects } = await sample.open();
    const base = await repository.resolveBase("main");
    const left = await sample.commitOn("left", base, { "both.txt": "left\n", "gone ü.txt": "left\n" });
    sample.git("checkout", "--quiet", "-b", "right");
    sample.git("rm", "--quiet", "gone ü.txt");
    const right = sample.commit({ "both.txt": "right\n" });
    const merged = await mergeTrees(objects, left, right);
    if (merged.kind !== "conflict") throw new Error("there is no conflict");
    expect(merged.conflicts.map(({ path }) => path)).toEqual(["both.txt", "gone ü.txt"]);
    expect(merged.conflicts[0]!.messages.join()).toContain("CONFLICT (content)");
    expect(merged.conflicts[1]!.messages.join()).toContain("CONFLICT (modify/delete)");
    expect(sample.git("show", `${merged.tree}:both.txt`)).toMatch(/<<<<<<< .*\nleft\n=======\nright\n>>>>>>> /u);
  });

  it("CODE-7 never reports a missing commit as a conflict", async () => {
    await using sample = new SampleRepository();
    const { repository, objects } = await sample.open();
    const base = await repository.resolveBase("main");
    await expect(mergeTrees(objects, base, "1".repeat(40) as Oid)).rejects.toMatchObject({ code: "GIT_FAILED" });
  });
});

async function prepare(sample: SampleRepository, task: string): Promise<Prepared> {
  const { repository, objects } = await sample.open();
  const base = await repository.resolveBase("main");
  if ((await repository.resolve(branchRef("workflow/x"))) === undefined) sample.git("branch", "workflow/x", base);
  const source = await sample.commitOn(`task/x-${task}`, base, { [`${task}.txt`]: `${task}\n` });
  const refs = new GitLandingRepository(repository, objects);
  return { repository, objects, refs, landing: await merge(repository, objects, task, source) };
}

interface Prepared {
  readonly repository: Repository;
  readonly objects: ObjectGit;
  readonly refs: GitLandingRepository;
  readonly landing: Landing;
}

async function merge(repository: Repository, objects: ObjectGit, task: string, source: Oid): Promise<Landing> {
  const target = { ref: branchRef("workflow/x"), head: (await repository.resolve(branchRef("workflow/x")))! };
  const { tree } = await mergeTrees(objects, target.head, source);
  const commit = await objects.commit({ tree, parents: [target.head, source], message: task, author: AUTHOR, atMs: 0 });
  return { target, source: { ref: branchRef(`task/x-${task}`), head: source }, commit, marker: landedRef("x", task) };
}

describe("a landing", () => {
  it("CODE-6 happens once, also if it is repeated after a crash", async () => {
    await using sample = new SampleRepository();
    const { refs, landing } = await prepare(sample, "a");
    expect(await land(refs, landing)).toEqual({ kind: "landed", commit: landing.commit, isNew: true });
    expect(await land(refs, landing)).toEqual({ kind: "landed", commit: landing.commit, isNew: false });
    expect(sample.git("rev-list", "--count", "--first-parent", "workflow/x")).toBe("2");
  });

  it("CODE-6 is refused as a whole if the branch has moved, and succeeds with a merge on the new head", async () => {
    await using sample = new SampleRepository();
    const first = await prepare(sample, "a");
    const second = await prepare(sample, "b");
    await land(first.refs, first.landing);
    expect(await land(second.refs, second.landing)).toEqual({ kind: "target-moved" });
    expect(await second.repository.resolve(second.landing.marker)).toBeUndefined();
    const again = await merge(second.repository, second.objects, "b", second.landing.source.head);
    expect(await land(second.refs, again)).toMatchObject({ kind: "landed", isNew: true });
    expect(sample.git("ls-tree", "--name-only", "workflow/x").split("\n")).toEqual(["a.txt", "b.txt"]);
  });

  it("CODE-5 is refused if the task's branch changed after it was merged", async () => {
    await using sample = new SampleRepository();
    const { repository, refs, landing } = await prepare(sample, "a");
    sample.git("update-ref", landing.source.ref, landing.target.head);
    expect(await land(refs, landing)).toEqual({ kind: "source-moved" });
    expect(await repository.resolve(landing.target.ref)).toBe(landing.target.head);
    expect(await repository.resolve(landing.marker)).toBeUndefined();
  });

  it("CODE-6 loses no work when many race for one branch", async () => {
    await using sample = new SampleRepository();
    const tasks = Array.from({ length: 8 }, (_, index) => `t${index}`);
    const prepared: Prepared[] = [];
    for (const task of tasks) prepared.push(await prepare(sample, task));
    await Promise.all(
      prepared.map(async ({ repository, objects, refs, landing }, index) => {
        let current = landing;
        while ((await land(refs, current)).kind !== "landed")
          current = await merge(repository, objects, tasks[index]!, landing.source.head);
      }),
    );
    expect(sample.git("ls-tree", "--name-only", "workflow/x").split("\n")).toEqual([
      "a.txt",
      ...tasks.map((task) => `${task}.txt`),
    ]);
    expect(sample.git("rev-list", "--count", "--first-parent", "workflow/x")).toBe("9");
  });

  it("CODE-6 waits for a ref that another process has locked", async () => {
    await using sample = new SampleRepository();
    const { refs, landing } = await prepare(sample, "a");
    sample.write({ ".git/refs/heads/workflow/x.lock": "" });
    const landed = land(refs, landing);
    setTimeout(() => sample.remove(".git/refs/heads/workflow/x.lock"), 50);
    expect(await landed).toMatchObject({ kind: "landed", isNew: true });
  });
});
