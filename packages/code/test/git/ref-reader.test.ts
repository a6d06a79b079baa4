import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { branchRef, isRefName } from "../../src/git/branch-names.ts";
import type { Git } from "../../src/git/git.ts";
import type { Oid } from "../../src/git/oid.ts";
import { SampleRepository } from "./sample-repository.ts";

/** A repository with commits to which refs can point. */
function withCommits(count: number): { readonly sample: SampleRepository; readonly commits: readonly Oid[] } {
  const sample = new SampleRepository();
  const commits = Array.from({ length: count }, (_, n) => sample.commit({ "n.txt": `${n}\n` }));
  return { sample, commits };
}

/** Everything that is written to git processes from now on. */
function recordRequests(git: Git): string[] {
  const lines: string[] = [];
  const start = git.start.bind(git);
  git.start = (args, options) => {
    const child = start(args, options);
    const write = child.stdin.write.bind(child.stdin);
    child.stdin.write = (line: string) => {
      lines.push(line);
      return write(line);
    };
    return child;
  };
  return lines;
}

const X = branchRef("x");

describe("a ref that another process changes", () => {
  it("CODE-6 is read as it is, loose or packed, moved or deleted", async () => {
    const { sample, commits } = withCommits(3);
    await using opened = sample;
    const { repository } = await opened.open();
    expect(await repository.resolve(X)).toBeUndefined();
    for (const commit of commits) {
      sample.git("update-ref", X, commit);
      expect(await repository.resolve(X)).toBe(commit);
    }
    sample.git("update-ref", "-d", X);
    expect(await repository.resolve(X)).toBeUndefined();
    sample.git("update-ref", X, commits[0]!);
    sample.git("pack-refs", "--all");
    expect(await repository.resolve(X)).toBe(commits[0]);
    sample.git("update-ref", X, commits[1]!);
    expect(await repository.resolve(X)).toBe(commits[1]);
    sample.git("gc", "--quiet", "--prune=now");
    expect(await repository.resolve(X)).toBe(commits[1]);
    sample.git("update-ref", "-d", X);
    expect(await repository.resolve(X)).toBeUndefined();
  });

  it("CODE-6 is read as it is if the packed refs were replaced several times within a second", async () => {
    const { sample, commits } = withCommits(3);
    await using opened = sample;
    const { repository } = await opened.open();
    const move = (n: number): Oid => {
      sample.git("update-ref", X, commits[n % 3]!);
      sample.git("pack-refs", "--all");
      return commits[n % 3]!;
    };
    // The second replacement gives the file the inode that it had when it was read.
    for (let round = 0, last = move(0); round < 12; round++) {
      expect(await repository.resolve(X)).toBe(last);
      move(2 * round + 1);
      last = move(2 * round + 2);
    }
  });

  it("CODE-6 is read before the refs that are named after it", async () => {
    const { sample, commits } = withCommits(2);
    await using opened = sample;
    const { repository } = await opened.open();
    sample.git("update-ref", X, commits[0]!);
    sample.git("update-ref", branchRef("y"), commits[1]!);
    const lines = recordRequests(repository.git);
    const refs = [branchRef("y"), branchRef("none"), X];
    expect(await repository.resolveAll(refs)).toEqual(
      new Map([
        [branchRef("y"), commits[1]],
        [X, commits[0]],
      ]),
    );
    expect(lines.slice(0, 3)).toEqual(refs.map((ref) => `info ${ref}^{commit}\n`));
  });
});

describe("a ref that does not exist", () => {
  it.each(["refs/refs/heads/x", "refs/tags/refs/heads/x", "refs/heads/refs/heads/x", "refs/remotes/refs/heads/x"])(
    "CODE-6 is not another one with a longer name: %s",
    async (other) => {
      const { sample, commits } = withCommits(2);
      await using opened = sample;
      const { repository } = await opened.open();
      sample.git("update-ref", other, commits[0]!);
      expect(await repository.resolve(X)).toBeUndefined();
      sample.git("update-ref", X, commits[1]!);
      expect(await repository.resolve(X)).toBe(commits[1]);
    },
  );

  it("CODE-6 is not the commit whose id its name ends with", async () => {
    const { sample, commits } = withCommits(2);
    await using opened = sample;
    const { repository } = await opened.open();
    const described = branchRef(`task/x-g${commits[0]!.slice(0, 8)}`);
    expect(await repository.resolve(described)).toBeUndefined();
    sample.git("update-ref", described, commits[1]!);
    expect(await repository.resolve(described)).toBe(commits[1]);
  });

  it("CODE-6 is not a revision, a file or a pattern", async () => {
    const { sample } = withCommits(2);
    await using opened = sample;
    const { repository } = await opened.open();
    const names = [
      "main~1",
      "main^",
      "main^{tree}",
      "main:n.txt",
      "main@{0}",
      "ma*",
      "ma?n",
      "main\nmain",
      "main x",
      "",
    ];
    for (const name of names) expect([name, await repository.resolve(branchRef(name))]).toEqual([name, undefined]);
  });

  it("CODE-6 is one that has no commit, because its file or its object is broken", async () => {
    const { sample } = withCommits(1);
    await using opened = sample;
    const { repository } = await opened.open();
    const file = join(sample.folder, ".git/refs/heads/x");
    for (const text of ["", "garbage\n", `${"12".repeat(20)}\n`, `${sample.git("rev-parse", "main:n.txt")}\n`]) {
      writeFileSync(file, text);
      expect([text, await repository.resolve(X)]).toEqual([text, undefined]);
    }
  });
});

describe("the name of a ref", () => {
  it.each([
    "refs/heads/main",
    "refs/heads/a-b_c.d",
    "refs/heads/ä/漢",
    "refs/heads/@",
    "refs/segno/x/landed/_workflow",
  ])("CODE-3 may be %s, as git says", async (name) => {
    await using sample = new SampleRepository();
    expect(isRefName(name)).toBe(true);
    sample.git("check-ref-format", name);
  });

  it.each([
    "refs/heads/",
    "refs/heads//a",
    "refs/heads/.a",
    "refs/heads/a.lock",
    "refs/heads/a.lock/b",
    "refs/heads/a..b",
    "refs/heads/a.",
    "refs/heads/a b",
    "refs/heads/a\tb",
    "refs/heads/a\u007f",
    "refs/heads/a@{b",
    "refs/heads/a[b",
    "refs/heads/a\\b",
  ])("CODE-3 is not %j, as git says", async (name) => {
    await using sample = new SampleRepository();
    expect(isRefName(name)).toBe(false);
    expect(() => sample.git("check-ref-format", name)).toThrow("check-ref-format");
  });
});
