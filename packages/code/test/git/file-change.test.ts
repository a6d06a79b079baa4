import { describe, expect, it } from "vitest";
import { listDiff } from "../../src/git/file-change.ts";
import type { Oid } from "../../src/git/oid.ts";
import { diffLines } from "../../src/steps/diff-lines.ts";
import { SampleRepository } from "./sample-repository.ts";

describe("the diff of a task", () => {
  it("CODE-4 has the lines of each file, whatever its name and its content are", async () => {
    await using sample = new SampleRepository({ "a.txt": "one\ntwo\n", "gone.txt": "x\n" });
    const { objects } = await sample.open();
    const before = sample.git("rev-parse", "HEAD") as Oid;
    sample.write({
      "a.txt": "one\nthree\nfour\n",
      ":odd\tname\n.txt": "new\n",
      "image.bin": "\0\u0001\u0002\0",
    });
    sample.git("rm", "--quiet", "gone.txt");
    sample.git("add", "--all");
    sample.git("commit", "--quiet", "--message", "work");
    const { changes, stats } = await listDiff(objects, before, sample.git("rev-parse", "HEAD") as Oid);
    expect(changes.map(({ path, status }) => [path, status])).toEqual([
      [":odd\tname\n.txt", "added"],
      ["a.txt", "changed"],
      ["gone.txt", "deleted"],
      ["image.bin", "added"],
    ]);
    expect(stats).toEqual([
      { path: ":odd\tname\n.txt", lines: { added: 1, deleted: 0 } },
      { path: "a.txt", lines: { added: 2, deleted: 1 } },
      { path: "gone.txt", lines: { added: 0, deleted: 1 } },
      { path: "image.bin", lines: undefined },
    ]);
    expect(diffLines(stats).slice(0, 1)).toEqual(["4 files changed, +3 -2"]);
    expect(diffLines(stats).slice(2)).toEqual(["  a.txt +2 -1", "  gone.txt +0 -1", "  image.bin binary"]);
  });

  it("CODE-4 names twenty files and counts the others", () => {
    const diff = Array.from({ length: 22 }, (_, n) => ({ path: `f${n}`, lines: { added: 1, deleted: 0 } }));
    expect(diffLines(diff)).toHaveLength(22);
    expect(diffLines(diff).at(-1)).toBe("  and 2 more");
    expect(diffLines([])).toEqual([]);
  });
});
