import { describe, expect, it } from "vitest";
import type { GitHubOptions } from "../../src/github/github-options.ts";
import { GitHubPullRequests } from "../../src/github/github-pull-requests.ts";
import type { PullRequestChecks } from "../../src/vcs/pull-requests.ts";
import type { ForgeRun, ForgeStatus } from "./forge-answers.ts";
import { SampleForge } from "./sample-forge.ts";

const PASSED: ForgeRun = { name: "test", status: "completed", conclusion: "success" };

interface Reported {
  readonly runs?: readonly ForgeRun[];
  readonly statuses?: readonly ForgeStatus[];
}

/** The checks of a pull request for which a forge reports these results. */
async function readChecks(reported: Reported, options: Partial<GitHubOptions> = {}): Promise<PullRequestChecks> {
  await using forge = await SampleForge.start();
  const base = forge.repository.commit("main", { "a.txt": "one\n" });
  const sourceHead = forge.repository.commit("task/x-a", { "b.txt": "two\n" }, base);
  const pulls = new GitHubPullRequests(forge.options(options));
  const { id } = await pulls.createPullRequest({
    source: "task/x-a",
    target: "main",
    title: "t",
    body: "b",
    sourceHead,
  });
  forge.checks.runs.set(sourceHead, reported.runs ?? []);
  forge.checks.statuses.set(sourceHead, reported.statuses ?? []);
  // This forge does not run a failed check again.
  forge.fail(/rerequest$/u, { status: 403 });
  return await pulls.getPullRequestChecks(id);
}

describe("the checks of a pull request on GitHub", () => {
  it("CODE-5 are not passed if there are none", async () => {
    expect(await readChecks({})).toEqual({ kind: "pending" });
  });

  it("CODE-5 are passed if there are none and that is allowed", async () => {
    expect(await readChecks({}, { allowNoChecks: true })).toEqual({ kind: "passed" });
  });

  it("CODE-5 wait for each expected one", async () => {
    const expectedChecks = ["test", "build"];
    expect(await readChecks({ runs: [PASSED] }, { expectedChecks })).toEqual({ kind: "pending" });
    const statuses: readonly ForgeStatus[] = [{ context: "build", state: "success" }];
    expect(await readChecks({ runs: [PASSED], statuses }, { expectedChecks })).toEqual({ kind: "passed" });
  });

  it("CODE-5 are check runs and commit statuses", async () => {
    const pending: readonly ForgeStatus[] = [{ context: "ci", state: "pending" }];
    expect(await readChecks({ runs: [PASSED], statuses: pending })).toEqual({ kind: "pending" });
    const failed: readonly ForgeStatus[] = [{ context: "ci", state: "error", description: "no runner" }];
    expect(await readChecks({ runs: [PASSED], statuses: failed })).toMatchObject({
      kind: "failed",
      name: "ci",
      log: expect.stringContaining("no runner"),
    });
  });

  it("CODE-5 are passed if a check run was skipped or is neutral", async () => {
    const runs = (["skipped", "neutral"] as const).map((conclusion) => ({ ...PASSED, name: conclusion, conclusion }));
    expect(await readChecks({ runs })).toEqual({ kind: "passed" });
  });

  it("CODE-7 have failed as soon as one has failed, with its log", async () => {
    const runs: readonly ForgeRun[] = [
      { name: "lint", status: "queued" },
      { name: "test", status: "completed", conclusion: "failure", text: "expected 1, got 2" },
    ];
    expect(await readChecks({ runs })).toEqual({ kind: "failed", name: "test", log: "expected 1, got 2" });
    const timedOut: readonly ForgeRun[] = [{ name: "test", status: "completed", conclusion: "timed_out" }];
    expect(await readChecks({ runs: timedOut })).toMatchObject({ kind: "failed", log: "the conclusion is timed_out" });
  });

  it("CODE-7 have a log of limited size, of which the end is kept", async () => {
    const text = `${"x".repeat(100_000)} the end`;
    const checks = await readChecks({ runs: [{ ...PASSED, conclusion: "failure", text }] });
    const log = checks.kind === "failed" ? checks.log : "";
    expect(log).toHaveLength(32_768);
    expect(log).toMatch(/^…x.* the end$/u);
  });

  it("CODE-5 are read to the last page", async () => {
    const many = Array.from({ length: 150 }, (_, index) => ({ ...PASSED, name: `test ${index}` }));
    const runs: readonly ForgeRun[] = [...many, { name: "last", status: "completed", conclusion: "failure" }];
    expect(await readChecks({ runs })).toMatchObject({ kind: "failed", name: "last" });
  });
});
