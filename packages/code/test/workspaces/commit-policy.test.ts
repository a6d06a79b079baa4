import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSecrets } from "../../src/workspaces/secret-patterns.ts";
import { GitWorktrees } from "../../src/workspaces/git-worktrees.ts";
import type { CommitOutcome } from "../../src/workspaces/workspaces.ts";
import type { CommitPolicy } from "../../src/workspaces/commit-policy.ts";
import { SampleRepository } from "../git/sample-repository.ts";

/** Texts that look like secrets, written so that no scanner takes this file for a leak. */
const KEY = ["-----BEGIN OPENSSH PRIVATE", "KEY-----"].join(" ");
const SECRETS: readonly string[] = [
  KEY,
  `AKIA${"A".repeat(16)}`,
  `ghp_${"a".repeat(36)}`,
  `github_pat_${"a".repeat(70)}`,
  `xoxb-${"1".repeat(12)}-abc`,
  `npm_${"a".repeat(36)}`,
  `//registry.example.com/:_authToken=${"a".repeat(20)}`,
  `AIza${"a".repeat(35)}`,
  `sk_live_${"a".repeat(24)}`,
];

async function commitAfter(
  change: (folder: string, sample: SampleRepository) => void,
  policy: Partial<CommitPolicy> = {},
  files: Readonly<Record<string, string>> = { "a.txt": "one\n" },
): Promise<CommitOutcome> {
  await using sample = new SampleRepository(files);
  const { repository, objects } = await sample.open();
  const workspaces = new GitWorktrees(repository, objects, { policy });
  const base = sample.git("rev-parse", "main");
  const { path } = await workspaces.createWorkspace({ workspaceId: "x/t", branch: "task/x-t", base });
  change(path, sample);
  const outcome = await workspaces.commitChanges("x/t", { since: base, message: "work", atMs: 0 });
  expect(sample.git("rev-parse", "task/x-t") === base).toBe(outcome.kind !== "committed");
  return outcome;
}

const writing =
  (path: string, text = "x\n") =>
  (folder: string, sample: SampleRepository): void =>
    sample.write({ [path]: text }, folder);

describe("a commit of an agent", () => {
  it.each([".env", "deep/.env.production", "id_rsa", "keys/id_ed25519", ".netrc", ".gitmodules", "git~1/x", ".git /x"])(
    "CODE-4 is refused with %s",
    async (path) => {
      const outcome = await commitAfter(writing(path));
      expect(outcome).toMatchObject({
        kind: "refused",
        reason: expect.stringContaining(path.split("/")[0]!) as string,
      });
    },
  );

  it.each([".env.example", "environment.ts", ".gitignore", ".gitattributes", "docs/id_rsa.md"])(
    "CODE-4 may contain %s",
    async (path) => {
      const diff = [{ path, lines: { added: 1, deleted: 0 } }];
      const commit = expect.any(String) as string;
      expect(await commitAfter(writing(path))).toEqual({ kind: "committed", commit, changedFiles: [path], diff });
    },
  );

  it("CODE-4 is refused with a file that is too large", async () => {
    const outcome = await commitAfter(writing("big.txt", "x".repeat(101)), { fileBytesMax: 100 });
    expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringContaining("big.txt") as string });
    expect(await commitAfter(writing("b.txt", "x".repeat(100)), { fileBytesMax: 100 })).toMatchObject({
      kind: "committed",
    });
  });

  it("CODE-4 is refused with a secret that the agent added", async () => {
    const outcome = await commitAfter(writing("config.ts", `export const key = "${SECRETS[2]}";\n`));
    expect(outcome).toMatchObject({ kind: "refused", reason: "`config.ts` contains a GitHub token" });
  });

  it("CODE-4 may change a file that contained the secret before", async () => {
    const outcome = await commitAfter(writing("test.pem", `${KEY}\nmore\n`), {}, { "test.pem": `${KEY}\n` });
    expect(outcome).toMatchObject({ kind: "committed" });
  });

  it.each(["/etc/passwd", "../../outside", "..", "deep/../../outside"])(
    "CODE-11 is refused with a link to %s",
    async (target) => {
      const outcome = await commitAfter((folder) => symlinkSync(target, join(folder, "link")));
      expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringContaining("link") as string });
    },
  );

  it("CODE-11 may contain a link inside the workspace", async () => {
    const outcome = await commitAfter((folder) => {
      mkdirSync(join(folder, "deep"));
      symlinkSync("../a.txt", join(folder, "deep", "link"));
    });
    expect(outcome).toMatchObject({ kind: "committed" });
  });

  it("CODE-11 is refused with a hard link to a file outside", async () => {
    const outcome = await commitAfter((folder, sample) => {
      writeFileSync(join(sample.root, "outside.txt"), "private\n");
      linkSync(join(sample.root, "outside.txt"), join(folder, "inside.txt"));
    });
    expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringContaining("hard link") as string });
  });

  it("CODE-11 is refused with a link at the place of the workspaces", async () => {
    const outcome = await commitAfter((folder) => symlinkSync("a.txt", join(folder, ".segno")));
    expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringContaining(".segno") as string });
  });
});

describe("a secret", () => {
  it.each(SECRETS)("CODE-4 is found: %s", (secret) => {
    expect(findSecrets(`before\n${secret}\nafter`)).toHaveLength(1);
  });

  it.each([
    "-----BEGIN PUBLIC KEY-----",
    "ghp_short",
    "_authToken=${NPM_TOKEN}",
    "npm_config_cache",
    "the sk-learn kit",
  ])("CODE-4 is not %s", (text) => {
    expect(findSecrets(text)).toEqual([]);
  });
});
