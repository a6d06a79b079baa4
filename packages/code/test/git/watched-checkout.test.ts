import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plainGit } from "./plain-git.ts";
import { SampleFolder } from "./sample-folder.ts";

/** Changes by somebody who is not the user of the sample. */
const CHANGES: Readonly<Record<string, (folder: string) => void>> = {
  "a file": (folder) => writeFileSync(join(folder, "a.txt"), "other\n"),
  "a new file": (folder) => writeFileSync(join(folder, "new.txt"), "new\n"),
  "a removed file": (folder) => rmSync(join(folder, "a.txt")),
  "the index": (folder) => void plainGit(["update-index", "--force-remove", "a.txt"], { cwd: folder }),
  "the branch": (folder) => void plainGit(["symbolic-ref", "HEAD", "refs/heads/other"], { cwd: folder }),
  "the settings": (folder) => void plainGit(["config", "user.name", "other"], { cwd: folder }),
  "a commit without its files": (folder) => {
    plainGit(["update-ref", "refs/heads/main", plainGit(["commit-tree", "-m", "x", EMPTY], { cwd: folder })], {
      cwd: folder,
    });
    plainGit(["read-tree", EMPTY], { cwd: folder });
  },
};

/** The id of a tree without files. */
const EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

describe("the watch over the user's checkout", () => {
  it.each(Object.keys(CHANGES))("CODE-11 notices a change of %s, in a clean checkout and in a dirty one", (name) => {
    for (const isDirty of [false, true]) {
      const sample = new SampleFolder();
      if (isDirty) sample.watched.act(() => writeFileSync(join(sample.folder, "b.txt"), "mine\n"));
      CHANGES[name]!(sample.folder);
      expect(() => sample.discard()).toThrow("CODE-11");
    }
  });

  it("CODE-11 notices a change before an act of the user, too", () => {
    const sample = new SampleFolder();
    CHANGES["a file"]!(sample.folder);
    sample.git("checkout", "--quiet", "--", "a.txt");
    expect(() => sample.discard()).toThrow("a.txt");
  });

  it("CODE-11 allows a clean step forward of the branch that is checked out, and acts of the user", () => {
    const sample = new SampleFolder();
    sample.watched.act(() => writeFileSync(join(sample.folder, "b.txt"), "mine\n"));
    writeFileSync(join(sample.folder, "a.txt"), "two\n");
    plainGit(["commit", "--quiet", "--all", "--message", "landing"], { cwd: sample.folder });
    expect(() => sample.discard()).not.toThrow();
  });
});
