// Workflows whose pull requests are on a forge.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecutionHandle } from "@segno/engine";
import { describe, expect, it, vi } from "vitest";
import { loadExecutorConfig } from "../../src/config/executor-config.ts";
import { prepareStart, type CodeStart } from "../../src/project/code-start.ts";
import type { CodeInput } from "../../src/steps/step-values.ts";
import { loadTemplate } from "../../src/template/load-template.ts";
import { SampleForge, TOKEN } from "../github/sample-forge.ts";
import { CodeProject, WAIT_MS } from "./code-project.ts";

class ForgeProject implements AsyncDisposable {
  readonly project = new CodeProject();
  readonly forge: SampleForge;

  private constructor(forge: SampleForge) {
    this.forge = forge;
    this.project.git("checkout", "--quiet", "-b", "mine");
    forge.repository.copyMain(this.project.folder);
  }

  static async open(): Promise<ForgeProject> {
    return new ForgeProject(await SampleForge.start());
  }

  async start(step: string, workflow: string): Promise<ExecutionHandle> {
    const agent = this.project.agent("agent.sh", 'echo "$SEGNO_TASK_ID" > "$SEGNO_TASK_ID.txt"; env > seen.txt');
    await this.project.openEngine({ GITHUB_TOKEN: TOKEN });
    return await this.project.start(
      `name: forged
policies: { step: ${step}, workflow: ${workflow}, checks: ["cat one.txt >> ${this.project.root}/checked"] }
forge: { kind: github, repository: octo-org/sample, tokenSecret: GITHUB_TOKEN, baseUrl: "${this.forge.origin}/api/v3", allowNoChecks: true }
agent: a
agents: { a: { command: ["${agent}"] } }
tasks:
  - { id: one, instructions: work }
`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.project[Symbol.asyncDispose]();
    await this.forge[Symbol.asyncDispose]();
  }
}

async function untilSuspended(handle: ExecutionHandle, name: string): Promise<void> {
  const names = async (): Promise<readonly string[]> =>
    (await handle.status()).steps.filter(({ status }) => status === "suspended").map((step) => step.name);
  await vi.waitFor(async () => expect(await names()).toContain(name), 60_000);
}

/** Waits until the step is put off for this reason; it then uses no slot. */
async function untilWaiting(handle: ExecutionHandle, name: string, code: string, text = ""): Promise<void> {
  const wanted = async (): Promise<unknown> => (await handle.status()).steps.find((step) => step.name === name);
  const message: unknown = expect.stringContaining(text);
  await vi.waitFor(
    async () => expect(await wanted()).toMatchObject({ status: "retrying", detail: { failure: { code, message } } }),
    60_000,
  );
}

describe("a workflow with pull requests on GitHub", () => {
  it("CODE-5 DATA-9 `pr_and_merge` merges tasks and workflow there, and the token is nowhere", async () => {
    await using test = await ForgeProject.open();
    const { project, forge } = test;
    await project.finish(await test.start("pr_and_merge", "pr_and_merge"));
    expect(forge.pulls.map(({ state, merged }) => [state, merged !== undefined])).toEqual([
      ["closed", true],
      ["closed", true],
    ]);
    expect(project.git("show", "main:one.txt")).toBe("one");
    expect(project.lines("checked")).toBe(2);
    expect(project.git("rev-parse", "main")).toBe(forge.repository.head("main"));
    expect(project.git("show", "main:seen.txt")).not.toContain(TOKEN);
    await project.closeEngine();
    for (const name of readdirSync(project.root).filter((each) => each.startsWith("segno.db")))
      expect(readFileSync(join(project.root, name)).includes(TOKEN)).toBe(false);
  });

  it("CODE-5 `pr_and_notify` waits for an approval here; steps may merge without the forge", async () => {
    await using test = await ForgeProject.open();
    const { project, forge } = test;
    const handle = await test.start("auto", "pr_and_notify");
    await untilSuspended(handle, "land/approval");
    expect(forge.pulls.map(({ state }) => state)).toEqual(["open"]);
    await handle.approve("land/approval", { by: "ada" });
    await project.finish(handle);
    expect(forge.repository.head("main")).toBe(project.git("rev-parse", "main"));
    expect(project.git("show", "main:one.txt")).toBe("one");
  });

  it("CODE-5 a merge waits for the forge without a slot, and goes on when the forge is ready", async () => {
    await using test = await ForgeProject.open();
    const { project, forge } = test;
    // The forge has not found out yet whether the pull request can be merged.
    forge.onNext(/GET .*\/pulls\/1$/u, () => void (forge.pull("1").mergeable = null));
    const handle = await test.start("auto", "pr_and_merge");
    await untilWaiting(handle, "land", "CHECKS_PENDING");
    delete forge.pull("1").mergeable;
    await project.finish(handle);
    expect(forge.pull("1").merged).toBeDefined();
  });
});

describe("a pull request on GitHub that waits for a person", () => {
  it("CODE-5 `pr_and_notify` notices a merge that a person made there, without an approval here", async () => {
    await using test = await ForgeProject.open();
    const { project, forge } = test;
    const handle = await test.start("auto", "pr_and_notify");
    await untilWaiting(handle, "land/watch", "REVIEW_PENDING");
    const head = project.git("rev-parse", `workflow/${handle.id}`);
    Object.assign(forge.pull("1"), { state: "closed", merged: { head, commit: forge.repository.merge(head, "main") } });
    await project.finish(handle);
    expect(project.git("rev-parse", "main")).toBe(forge.repository.head("main"));
  });

  it("CODE-5 `pr_and_notify` notices a review there after a restart, and merges once", async () => {
    await using test = await ForgeProject.open();
    const { project, forge } = test;
    const { id } = await test.start("auto", "pr_and_notify");
    await untilWaiting(await project.engine!.get(id), "land/watch", "REVIEW_PENDING");
    await project.closeEngine();
    const commit = project.git("rev-parse", `workflow/${id}`);
    forge.pull("1").reviews.push({ userId: 1, state: "APPROVED", association: "OWNER", commit });
    await project.finish(await (await project.openEngine({ GITHUB_TOKEN: TOKEN })).get(id));
    expect(forge.pull("1").merged).toMatchObject({ head: commit });
    expect(forge.pulls).toHaveLength(1);
  });

  it("CODE-5 CODE-8 asks a person about a pull request that was closed there, and merges nothing", async () => {
    await using test = await ForgeProject.open();
    const { project, forge } = test;
    const handle = await test.start("auto", "pr_and_notify");
    await untilWaiting(handle, "land/watch", "REVIEW_PENDING");
    // The next look cannot reach the forge.
    forge.fail(/GET .*\/pulls\/1$/u, { status: 502 });
    forge.pull("1").state = "closed";
    project.time.skip(WAIT_MS);
    await untilWaiting(handle, "land/watch", "REVIEW_PENDING", "502");
    project.time.skip(WAIT_MS);
    await untilSuspended(handle, "land/merge/escalation");
    expect(forge.pull("1").merged).toBeUndefined();
    await handle.cancel();
  });

  it("CODE-5 CODE-8 a pull request that a person closed is not opened again, and a person decides", async () => {
    await using test = await ForgeProject.open();
    const { project, forge } = test;
    const handle = await test.start("auto", "pr_and_notify");
    await untilSuspended(handle, "land/approval");
    forge.pull("1").state = "closed";
    await handle.approve("land/approval", { by: "ada" });
    await untilSuspended(handle, "land/merge/escalation");
    expect(forge.pulls.map(({ state }) => state)).toEqual(["closed"]);
    forge.pull("1").state = "open";
    await handle.approve("land/merge/escalation", { by: "ada" });
    await untilSuspended(handle, "land/merge/resolved/approval");
    await handle.approve("land/merge/resolved/approval", { by: "ada" });
    await project.finish(handle);
    expect(forge.pull("1").merged).toBeDefined();
  });
});

describe("a forge in the configuration", () => {
  const prepare = async (test: ForgeProject, policies: string, forge = ""): Promise<CodeStart> => {
    const agent = test.project.agent("agent.sh", 'echo "$SEGNO_TASK_ID" > "$SEGNO_TASK_ID.txt"');
    const text = `name: x\n${forge}policies: ${policies}\nagent: a\nagents: { a: { command: ["${agent}"] } }\ntasks: [{ id: one, instructions: i }]\n`;
    const options = {
      kind: "github",
      repository: "octo-org/sample",
      token_secret: "GITHUB_TOKEN",
      allow_no_checks: true,
    };
    const base_url = `${test.forge.origin}/api/v3`;
    return await prepareStart({
      template: loadTemplate({ text }),
      templateFile: "x.yaml",
      parameters: {},
      repository: test.project.folder,
      baseBranch: "main",
      config: loadExecutorConfig(JSON.stringify({ executor: { integration: { forge: { ...options, base_url } } } })),
    });
  };

  const settingsOf = ({ input }: CodeStart): CodeInput["settings"] => (input as unknown as CodeInput).settings;

  it("CODE-13 gets the pull requests of a template without one", async () => {
    await using test = await ForgeProject.open();
    const { definition, input } = await prepare(test, "{ step: auto, workflow: pr_and_merge }");
    const engine = await test.project.openEngine({ GITHUB_TOKEN: TOKEN });
    await test.project.finish(await engine.start(definition, input));
    expect(test.forge.pulls.map(({ state }) => state)).toEqual(["closed"]);
    expect(test.forge.authorizations.some((each) => each?.endsWith(TOKEN))).toBe(true);
    expect(test.forge.repository.head("main")).toBe(test.project.git("rev-parse", "main"));
  });

  it("CODE-13 gives way to that of a template, and is not used without pull requests", async () => {
    await using test = await ForgeProject.open();
    const own = "forge: { kind: github, repository: my/own, tokenSecret: MINE }\n";
    const overridden = await prepare(test, "{ step: auto, workflow: pr_and_merge }", own);
    expect(settingsOf(overridden).forge).toEqual({ kind: "github", repository: "my/own", tokenSecret: "MINE" });
    const plain = await prepare(test, "{ step: auto, workflow: auto }");
    expect(settingsOf(plain).forge).toBeUndefined();
    expect(JSON.stringify(plain.definition)).not.toContain("GITHUB_TOKEN");
  });
});

describe("a forge in a template", () => {
  it.each([
    ["{ kind: gitlab, repository: a/b, tokenSecret: T }", /github/u],
    ["{ kind: github, repository: b, tokenSecret: T }", /owner\/name/u],
    ["{ kind: github, repository: a/b }", /tokenSecret/u],
    ["{ kind: github, repository: a/b, tokenSecret: T, remote: origin }", /remote/u],
    ["{ kind: github, repository: a/b, tokenSecret: T, allowNoChecks: true, expectedChecks: [x] }", /no effect/u],
  ])("CODE-2 is refused as %s", (forge, message) => {
    const text = `name: x\nforge: ${forge}\ntasks: [{ id: a, instructions: a }]\n`;
    expect(() => loadTemplate({ text })).toThrow(message);
  });
});
