// `segno code run` refuses bad input before anything is created: no branch, no folder in the repository, no journal.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { CodeFixture } from "./code-fixture.ts";
import type { SegnoRunOptions } from "./run-segno.ts";

const INVALID = 3;

/** Runs a template and expects an error. Nothing may have changed. */
async function expectRefusal(
  fixture: CodeFixture,
  expected: RegExp,
  { template = fixture.template("true"), words = [], ...options }: RefusalOptions = {},
): Promise<void> {
  const file = fixture.write("t.yaml", template);
  const before = fixture.traces();
  const { exitCode, stderr } = await fixture.run(["run", file, "--repo", "repository", ...words], options);
  expect(stderr).toMatch(expected);
  expect(exitCode).toBe(INVALID);
  expect(fixture.traces()).toEqual(before);
}

interface RefusalOptions extends SegnoRunOptions {
  readonly template?: string;
  readonly words?: readonly string[];
}

const TASK = (id: string, more = ""): string => `  - { id: "${id}", instructions: i${more} }`;

describe("a template", () => {
  it("CODE-2 with a cycle is refused", async () => {
    using fixture = new CodeFixture();
    const tasks = [TASK("a", ", dependsOn: [b]"), TASK("b", ", dependsOn: [a]")].join("\n");
    await expectRefusal(fixture, /wait for each other|cycle/u, { template: fixture.template("true", tasks) });
  });

  it("CODE-2 without a value for a parameter is refused, and an unknown or wrong one too", async () => {
    using fixture = new CodeFixture();
    const template = `${fixture.template("true")}parameters: { count: { type: number } }\n`;
    await expectRefusal(fixture, /PARAMETER_INVALID .*count/u, { template });
    await expectRefusal(fixture, /PARAMETER_INVALID .*count/u, { template, words: ["--param", "count=many"] });
    await expectRefusal(fixture, /PARAMETER_INVALID .*other/u, {
      template,
      words: ["--param", "count=1", "--param", "other=1"],
    });
  });

  it.each(["../x", "$(id)", "x.lock", "", "-x"])("CODE-2 with the task id `%s` is refused", async (id) => {
    using fixture = new CodeFixture();
    await expectRefusal(fixture, /an id/u, { template: fixture.template("true", TASK(id)) });
  });

  it("CODE-12 whose agent is not installed or not configured is refused", async () => {
    using fixture = new CodeFixture();
    await expectRefusal(fixture, /AGENT_MISSING .*no-such-program/u, { template: fixture.template("no-such-program") });
    await expectRefusal(fixture, /`worker`|AGENT_UNKNOWN/u, {
      template: fixture.template("true").replace("agent: worker", "agent: worked"),
    });
  });

  it("CODE-13 with an unknown key of the configuration is refused", async () => {
    using fixture = new CodeFixture();
    const config = fixture.write("c.yaml", "executor: { scheduling: { max_tasks: 3 } }\n");
    await expectRefusal(fixture, /max_tasks/u, { words: ["--config", config] });
  });
});

describe("a repository", () => {
  it("CODE-3 without the base branch, or with a branch called task or workflow, is refused", async () => {
    using fixture = new CodeFixture();
    await expectRefusal(fixture, /BASE_BRANCH_MISSING .*develop/u, { words: ["--base", "develop"] });
    fixture.git("branch", "task");
    await expectRefusal(fixture, /BRANCH_NAME_TAKEN .*task/u);
    fixture.git("branch", "-m", "task", "workflow");
    await expectRefusal(fixture, /BRANCH_NAME_TAKEN .*workflow/u);
  });

  it("CODE-3 that is shallow, bare, without commits or missing is refused", async () => {
    using fixture = new CodeFixture();
    fixture.git("commit", "--quiet", "--allow-empty", "--message", "second");
    fixture.git("clone", "--quiet", "--depth=1", `file://${fixture.repository}`, "../shallow");
    fixture.git("clone", "--quiet", "--bare", ".", "../bare");
    fixture.git("init", "--quiet", "../empty");
    mkdirSync(join(fixture.root, "none"));
    await expectRefusal(fixture, /REPOSITORY_UNSUPPORTED .*shallow/u, { words: ["--repo", "shallow"] });
    await expectRefusal(fixture, /REPOSITORY_UNSUPPORTED .*bare/u, { words: ["--repo", "bare"] });
    await expectRefusal(fixture, /REPOSITORY_UNSUPPORTED .*no commits/u, { words: ["--repo", "empty"] });
    await expectRefusal(fixture, /REPOSITORY_MISSING/u, { words: ["--repo", "none"] });
    await expectRefusal(fixture, /REPOSITORY_MISSING/u, { words: ["--repo", "nowhere"] });
  });
});

describe("git", () => {
  it("CODE-3 that is missing, or older than 2.38, is refused", async () => {
    using fixture = new CodeFixture();
    const bin = join(fixture.root, "bin");
    mkdirSync(bin);
    await expectRefusal(fixture, /GIT_MISSING/u, { environment: { PATH: bin } });
    writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.37.9\n", { mode: 0o755 });
    await expectRefusal(fixture, /GIT_TOO_OLD .*2\.37/u, { environment: { PATH: bin } });
  });
});
