// The folder of artifacts after crashes and removals (DATA-13).

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ArtifactFolder, artifactFolderOf, pathInside } from "../../src/artifacts/artifact-folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-sweep-"));
  writeFileSync(join(folder, "file"), "content");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const root = (): string => join(folder, "artifacts");
const files = (): readonly string[] =>
  readdirSync(root(), { recursive: true, withFileTypes: true }).flatMap((each) => (each.isFile() ? [each.name] : []));

describe("DATA-13 a sweep", () => {
  it("removes the files of executions that do not exist, and keeps those of the others", async () => {
    const artifacts = new ArtifactFolder(root());
    const kept = await artifacts.keep("here", join(folder, "file"), "file", 100);
    await artifacts.keep("gone", join(folder, "file"), "file", 100);
    await artifacts.sweep(async (id) => id === "here");
    expect(files().toSorted()).toEqual([kept.hash, "execution"].toSorted());
    expect(await artifacts.problem("here", kept)).toBe(undefined);
  });

  it("removes what killed engines left, and nothing of its own or of others", async () => {
    const killed = new ArtifactFolder(root());
    const left = await killed.newCopyFolder();
    mkdirSync(join(root(), "a".repeat(32)));
    mkdirSync(join(root(), "foreign"));
    const artifacts = new ArtifactFolder(root());
    const own = await artifacts.newCopyFolder();
    await artifacts.sweep(async () => true);
    expect([left, own, join(root(), "a".repeat(32)), join(root(), "foreign")].map((each) => existsSync(each))).toEqual([
      false,
      true,
      false,
      true,
    ]);
    await artifacts.close();
    expect(existsSync(own)).toBe(false);
  });

  it("removes nothing through a link in the place of the folder or of its temporary folder", async () => {
    const victim = join(folder, "victim");
    mkdirSync(join(victim, "tmp", "precious"), { recursive: true });
    mkdirSync(join(victim, "a".repeat(32)));
    symlinkSync(victim, root());
    const artifacts = new ArtifactFolder(root());
    await artifacts.sweep(async () => false);
    await artifacts.remove("one");
    rmSync(root());
    mkdirSync(root());
    symlinkSync(join(victim, "tmp"), join(root(), "tmp"));
    await artifacts.sweep(async () => false);
    expect([join(victim, "tmp", "precious"), join(victim, "a".repeat(32))].map((each) => existsSync(each))).toEqual([
      true,
      true,
    ]);
    await expect(artifacts.newCopyFolder()).rejects.toMatchObject({ code: "ARTIFACT_REFUSED" });
  });

  it.each(["missing", "empty", "of another"])("keeps the files of an execution whose id was %s", async (id) => {
    const artifacts = new ArtifactFolder(root());
    const { hash } = await artifacts.keep("here", join(folder, "file"), "file", 100);
    const [name] = readdirSync(root());
    const file = join(root(), name!, "execution");
    if (id === "missing") rmSync(file);
    else writeFileSync(file, id === "empty" ? "" : "other");
    await artifacts.sweep(async (execution) => execution === "here");
    expect(files()).toContain(hash);
    await artifacts.keep("here", join(folder, "file"), "again", 100);
    expect(readFileSync(file, "utf8")).toBe("here");
  });

  it("finds nothing to do where no artifact was ever kept", async () => {
    await new ArtifactFolder(root()).sweep(async () => true);
    expect(existsSync(root())).toBe(false);
  });
});

describe("DATA-13 a folder of artifacts", () => {
  it("ARTIFACT_REFUSED is no link: nothing is kept elsewhere", async () => {
    mkdirSync(join(folder, "victim"));
    symlinkSync(join(folder, "victim"), root());
    const kept = new ArtifactFolder(root()).keep("here", join(folder, "file"), "file", 100);
    await expect(kept).rejects.toMatchObject({ code: "ARTIFACT_REFUSED" });
    expect(readdirSync(join(folder, "victim"))).toEqual([]);
  });
});

describe("DATA-13 a file that is kept", () => {
  it("ARTIFACT_TOO_LARGE leaves no part of itself if it is too large", async () => {
    const artifacts = new ArtifactFolder(root());
    await expect(artifacts.keep("one", join(folder, "file"), "file", 6)).rejects.toMatchObject({
      code: "ARTIFACT_TOO_LARGE",
    });
    expect(files()).toEqual(["execution"]);
  });

  it("has a folder of its own for each file with journals", () => {
    expect(artifactFolderOf("/data/.segno/segno.db")).toBe("/data/.segno/artifacts");
    expect(artifactFolderOf("/data/other.db")).toBe("/data/other.db-artifacts");
  });

  it("ARTIFACT_REFUSED never leads outside, whatever the journal says", () => {
    expect(pathInside("/tmp/x", "a/b")).toBe("/tmp/x/a/b");
    for (const path of ["../b", "a/../../b", "/etc/passwd", ".", ""])
      expect(() => pathInside("/tmp/x", path)).toThrow(expect.objectContaining({ code: "ARTIFACT_REFUSED" }));
  });
});

describe.skipIf(process.platform === "win32")("DATA-13 a planted file", () => {
  const stored = (execution: string, name: string): string => {
    const own = readdirSync(root(), { recursive: true, withFileTypes: true }).find((each) => each.name === name);
    if (own === undefined) throw new Error(`${execution} has no ${name}`);
    return join(own.parentPath, name);
  };

  const replace = (path: string, kind: "link" | "fifo"): void => {
    rmSync(path);
    if (kind === "link") symlinkSync("/dev/zero", path);
    else spawnSync("mkfifo", [path]);
  };

  it.each(["link", "fifo"] as const)(
    "ARTIFACT_DAMAGED in the place of a stored file (%s) is neither read nor waited for",
    async (kind) => {
      writeFileSync(join(folder, "empty"), "");
      const artifacts = new ArtifactFolder(root());
      const kept = await artifacts.keep("one", join(folder, "empty"), "empty", 100);
      replace(stored("one", kept.hash), kind);
      expect(await artifacts.problem("one", kept)).toBe("is not a file");
      await expect(artifacts.copy("one", kept, join(folder, "copy"))).rejects.toMatchObject({
        code: "ARTIFACT_DAMAGED",
        message: "the stored artifact `empty` is not a file",
      });
      expect(existsSync(join(folder, "copy"))).toBe(false);
    },
  );

  it.each(["link", "fifo"] as const)("in the place of an id (%s) does not stop a sweep", async (kind) => {
    const artifacts = new ArtifactFolder(root());
    const kept = await artifacts.keep("one", join(folder, "file"), "file", 100);
    replace(stored("one", "execution"), kind);
    await artifacts.sweep(async () => true);
    expect(await artifacts.problem("one", kept)).toBe(undefined);
  });

  it("ARTIFACT_DAMAGED that has grown is read only up to its size", async () => {
    const artifacts = new ArtifactFolder(root());
    const kept = await artifacts.keep("one", join(folder, "file"), "file", 100);
    const path = stored("one", kept.hash);
    chmodSync(path, 0o600);
    writeFileSync(path, "content and much more");
    await expect(artifacts.copy("one", kept, join(folder, "copy"))).rejects.toMatchObject({ code: "ARTIFACT_DAMAGED" });
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });
});
