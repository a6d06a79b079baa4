import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkTaskId, checkWorkflowId, checkWorkspaceName } from "../../src/git/branch-names.ts";
import { Git } from "../../src/git/git.ts";
import { Repository } from "../../src/git/repository.ts";
import { SampleRepository } from "./sample-repository.ts";

async function openAt(path: string): Promise<Repository> {
  return await Repository.open(await Git.open(), path);
}

describe("a repository", () => {
  it("CODE-11 is found from a folder inside it, and named by its real path", async () => {
    await using sample = new SampleRepository({ "src/a.txt": "one\n" });
    const repository = await openAt(join(sample.folder, "src"));
    expect(repository.folder).toBe(sample.folder);
    expect(repository.commonDir).toBe(join(sample.folder, ".git"));
    expect(await repository.resolveBase("main")).toBe(sample.git("rev-parse", "main"));
  });

  it("CODE-2 is refused if the folder is not in one", async () => {
    await using sample = new SampleRepository();
    await expect(openAt(sample.root)).rejects.toMatchObject({ code: "REPOSITORY_MISSING" });
  });

  it("CODE-2 is refused if it is bare", async () => {
    await using sample = new SampleRepository();
    const bare = join(sample.root, "bare");
    execFileSync("git", ["clone", "--quiet", "--bare", sample.folder, bare]);
    await expect(openAt(bare)).rejects.toMatchObject({ code: "REPOSITORY_UNSUPPORTED", message: /is bare/u });
  });

  it("CODE-2 is refused if it is shallow", async () => {
    await using sample = new SampleRepository();
    sample.commit({ "b.txt": "two\n" });
    const shallow = join(sample.root, "shallow");
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${sample.folder}`, shallow]);
    await expect(openAt(shallow)).rejects.toMatchObject({ code: "REPOSITORY_UNSUPPORTED", message: /unshallow/u });
  });

  it("CODE-2 is refused if it is a partial clone", async () => {
    await using sample = new SampleRepository();
    sample.git("config", "uploadpack.allowFilter", "true");
    const partial = join(sample.root, "partial");
    execFileSync("git", ["clone", "--quiet", "--filter=blob:none", `file://${sample.folder}`, partial]);
    await expect(openAt(partial)).rejects.toMatchObject({ code: "REPOSITORY_UNSUPPORTED", message: /partial/u });
  });

  it("CODE-2 is refused if it has no commits", async () => {
    await using sample = new SampleRepository({});
    await expect(openAt(sample.folder)).rejects.toMatchObject({
      code: "REPOSITORY_UNSUPPORTED",
      message: /no commits/u,
    });
  });
});

describe("branches of a repository", () => {
  it("CODE-2 are refused as a base if they do not exist", async () => {
    await using sample = new SampleRepository();
    const repository = await openAt(sample.folder);
    for (const branch of ["missing", "--all", "main^{tree}", "main:a.txt", ""])
      await expect(repository.resolveBase(branch)).rejects.toMatchObject({ code: "BASE_BRANCH_MISSING" });
  });

  it.each(["task", "workflow"])("CODE-3 are refused if one is called `%s`", async (branch) => {
    await using sample = new SampleRepository();
    const repository = await openAt(sample.folder);
    await repository.checkBranchNames();
    sample.git("branch", branch);
    await expect(repository.checkBranchNames()).rejects.toMatchObject({ code: "BRANCH_NAME_TAKEN" });
  });

  it("CODE-11 are not those of another repository that variables of the caller name", async () => {
    await using sample = new SampleRepository();
    await using other = new SampleRepository({ "other.txt": "other\n" });
    mkdirSync(join(sample.folder, "inside"));
    process.env["GIT_DIR"] = join(other.folder, ".git");
    try {
      expect((await openAt(sample.folder)).commonDir).toBe(join(sample.folder, ".git"));
    } finally {
      delete process.env["GIT_DIR"];
    }
  });
});

describe("an id", () => {
  it.each(["a", "build-2", "v12_x", "0", "a".repeat(64)])("CODE-3 of a task may be %s", (id) => {
    expect(() => checkTaskId(id)).not.toThrow();
  });

  it.each(["a.b", "one.fix1", "one.check", "workflow.landing"])("CODE-3 of a task is refused if it is %s", (id) => {
    expect(() => checkTaskId(id)).toThrow(expect.objectContaining({ code: "TASK_ID_INVALID" }));
    expect(() => checkWorkspaceName(id)).not.toThrow();
    expect(() => checkWorkflowId(id)).not.toThrow();
  });

  it.each(["../x", "$(id)", "a.lock", "a..b", "", "-x", ".x", "A", "a b", "a/b", "a.", "ä", "a\n", "a".repeat(65)])(
    "CODE-3 is refused if it is %j",
    (id) => {
      for (const check of [checkTaskId, checkWorkflowId])
        expect(() => check(id)).toThrow(expect.objectContaining({ code: "TASK_ID_INVALID" }));
      if (id.length < 65) expect(() => checkWorkspaceName(id)).toThrow();
    },
  );
});
