import { describe, expect, it } from "vitest";
import { branchRef, landedRef } from "../../src/git/branch-names.ts";
import type { ObjectGit } from "../../src/git/object-git.ts";
import type { Oid } from "../../src/git/oid.ts";
import type { Repository } from "../../src/git/repository.ts";
import { GitLandingRepository } from "../../src/vcs/git-landing-repository.ts";
import { MergeLoop, type CommitCheck, type MergeRequest } from "../../src/vcs/merge-loop.ts";
import { SampleRepository } from "../git/sample-repository.ts";

const PASS: CommitCheck = async () => ({ kind: "passed" });

interface Prepared {
  readonly repository: Repository;
  readonly objects: ObjectGit;
  readonly loop: MergeLoop;
  readonly base: Oid;
  readonly task: (id: string, files: Readonly<Record<string, string>>, isSquashed?: boolean) => Promise<MergeRequest>;
}

async function prepare(sample: SampleRepository): Promise<Prepared> {
  const { repository, objects } = await sample.open();
  const base = await repository.resolveBase("main");
  sample.git("branch", "workflow/x", base);
  return {
    repository,
    objects,
    loop: new MergeLoop(new GitLandingRepository(repository, objects)),
    base,
    task: async (id, files, isSquashed = false) => {
      return {
        target: branchRef("workflow/x"),
        source: { ref: branchRef(`task/x-${id}`), head: await sample.commitOn(`task/x-${id}`, base, files) },
        marker: landedRef("x", id),
        isSquashed,
        message: `merge ${id}`,
        author: { name: "Segno", email: "segno@example.com" },
        atMs: 1_000_000,
      };
    },
  };
}

describe("a merge", () => {
  it.each([false, true])("CODE-6 lands exactly once when it is repeated (squashed: %s)", async (isSquashed) => {
    await using sample = new SampleRepository();
    const { loop, task } = await prepare(sample);
    const request = await task("a", { "b.txt": "b\n" }, isSquashed);
    const first = await loop.run(request, PASS);
    expect(first).toMatchObject({ kind: "landed", isNew: true });
    const checked: Oid[] = [];
    const again = await loop.run(request, async ({ commit }) => {
      checked.push(commit);
      return { kind: "passed" };
    });
    expect(again).toEqual({ ...first, isNew: false });
    expect(checked).toEqual([]);
    expect(sample.git("rev-list", "--count", "--first-parent", "workflow/x")).toBe("2");
  });
});

describe("a merge that is repeated after a crash", () => {
  it.each([false, true])(
    "CODE-6 M6 has landed, and tells if the request names other work (squashed: %s)",
    async (isSquashed) => {
      await using sample = new SampleRepository();
      const { loop, base, task } = await prepare(sample);
      const request = await task("a", { "a.txt": "broken\n" }, isSquashed);
      const head = await sample.commitOn("task/x-repair", base, { "a.txt": "repaired\n" });
      const repaired = { ...request, source: { ref: branchRef("task/x-repair"), head } };
      const first = await loop.run(repaired, PASS);
      expect(await loop.run(request, PASS)).toEqual({ ...first, isNew: false, isOtherWork: true });
      expect(await loop.run(repaired, PASS)).toEqual({ ...first, isNew: false });
    },
  );

  it("CODE-6 M5 has not landed if the marker names the landing of another task", async () => {
    await using sample = new SampleRepository();
    const { loop, task } = await prepare(sample);
    const [one, two] = [await task("a", { "a2.txt": "a\n" }), await task("b", { "b.txt": "b\n" })];
    await loop.run(one, PASS);
    sample.git("update-ref", two.marker, one.target);
    await expect(loop.run(two, PASS)).rejects.toMatchObject({ code: "LANDING_MARKER_INVALID" });
  });
});

describe("a merge beside others", () => {
  it("CODE-5 lands the commit that was checked, and checks the merged files", async () => {
    await using sample = new SampleRepository();
    const { loop, task } = await prepare(sample);
    const checked: Oid[] = [];
    const outcome = await loop.run(await task("a", { "b.txt": "b\n" }), async ({ commit }) => {
      checked.push(commit);
      return { kind: "passed" };
    });
    expect(outcome).toMatchObject({ commit: checked[0] });
    expect(sample.git("rev-parse", "workflow/x")).toBe(checked[0]);
  });

  it("CODE-5 is merged and checked again if the branch moves during its checks", async () => {
    await using sample = new SampleRepository();
    const { loop, task } = await prepare(sample);
    const [one, two] = [await task("a", { "a2.txt": "a\n" }), await task("b", { "b.txt": "b\n" })];
    const checked: Oid[] = [];
    const outcome = await loop.run(one, async ({ commit }) => {
      checked.push(commit);
      if (checked.length === 1) await loop.run(two, PASS);
      return { kind: "passed" };
    });
    expect(checked).toHaveLength(2);
    expect(outcome).toMatchObject({ kind: "landed", commit: checked[1], isNew: true });
    expect(sample.git("ls-tree", "--name-only", "workflow/x").split("\n")).toEqual(["a.txt", "a2.txt", "b.txt"]);
  });

  it("CODE-5 is not checked again if the branch moves without a change of the files", async () => {
    await using sample = new SampleRepository();
    const { repository, objects, loop, base, task } = await prepare(sample);
    const request = await task("a", { "b.txt": "b\n" });
    let checks = 0;
    const outcome = await loop.run(request, async () => {
      if (++checks === 1) {
        const tree = await objects.tree(base);
        const author = { name: "user", email: "user@example.com" };
        const empty = await objects.commit({ tree, parents: [base], message: "empty", author, atMs: 0 });
        await repository.text(["update-ref", request.target, empty]);
      }
      return { kind: "passed" };
    });
    expect([outcome.kind, checks]).toEqual(["landed", 1]);
  });
});

describe("a marker that appears while the work is checked", () => {
  it.each([false, true])("CODE-6 is refused if it is forged (squashed: %s)", async (isSquashed) => {
    await using sample = new SampleRepository();
    const { repository, loop, base, task } = await prepare(sample);
    const request = await task("a", { "b.txt": "b\n" }, isSquashed);
    const outcome = loop.run(request, async () => {
      sample.git("update-ref", request.marker, base);
      return { kind: "passed" };
    });
    await expect(outcome).rejects.toMatchObject({ code: "LANDING_MARKER_INVALID" });
    expect(await repository.resolve(request.target)).toBe(base);
  });

  it.each([false, true])("CODE-6 counts if another engine has landed the work (squashed: %s)", async (isSquashed) => {
    await using sample = new SampleRepository();
    const { loop, task } = await prepare(sample);
    const { repository, objects } = await sample.open();
    const other = new MergeLoop(new GitLandingRepository(repository, objects));
    const request = await task("a", { "b.txt": "b\n" }, isSquashed);
    const others: unknown[] = [];
    const outcome = await loop.run(request, async () => {
      others.push(await other.run(request, PASS));
      return { kind: "passed" };
    });
    expect(others).toEqual([{ ...outcome, isNew: true }]);
    expect(outcome).toMatchObject({ kind: "landed", isNew: false });
    expect(sample.git("rev-list", "--count", "--first-parent", "workflow/x")).toBe("2");
  });
});

describe("a merge that fails", () => {
  it.each([false, true])(
    "CODE-6 is refused if a marker of somebody else says that it has landed",
    async (isSquashed) => {
      await using sample = new SampleRepository();
      const { loop, base, task } = await prepare(sample);
      const request = await task("a", { "b.txt": "b\n" }, isSquashed);
      sample.git("update-ref", request.marker, base);
      await expect(loop.run(request, PASS)).rejects.toMatchObject({ code: "LANDING_MARKER_INVALID" });
    },
  );

  it("CODE-7 a check changes nothing", async () => {
    await using sample = new SampleRepository();
    const { repository, loop, base, task } = await prepare(sample);
    const request = await task("a", { "b.txt": "b\n" });
    const failed = { kind: "failed", command: "npm test", log: "1 test failed" } as const;
    const outcome = await loop.run(request, async () => failed);
    expect(outcome).toMatchObject({ kind: "check-failed", command: "npm test", onto: base });
    expect(await repository.resolve(request.target)).toBe(base);
    expect(await repository.resolve(request.marker)).toBeUndefined();
  });

  it("CODE-7 by a conflict names the files and changes nothing", async () => {
    await using sample = new SampleRepository();
    const { repository, loop, task } = await prepare(sample);
    const [one, two] = [await task("a", { "a.txt": "left\n" }), await task("b", { "a.txt": "right\n" })];
    await loop.run(one, PASS);
    const head = await repository.resolve(one.target);
    const outcome = await loop.run(two, PASS);
    expect(outcome).toMatchObject({ kind: "conflict", onto: head, conflicts: [{ path: "a.txt" }] });
    expect(await repository.resolve(one.target)).toBe(head);
  });
});
