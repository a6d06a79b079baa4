// The example of code workflows by the command, as a reader would type it.

import { cpSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

import { CodeFixture } from "./code-fixture.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../../examples/code");

interface Report {
  readonly status: string;
  readonly landed: boolean;
  readonly tasks: readonly { readonly task: string; readonly progress: string; readonly fixes: number }[];
}

it("CODE-5 CODE-7 the example lands five tasks on main, two of them after a fix", async () => {
  using fixture = new CodeFixture();
  cpSync(EXAMPLE, join(fixture.root, "code"), { recursive: true });
  const command = async (...words: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await fixture.run(words);
    expect(exitCode, stderr).toBe(0);
    return stdout;
  };
  const git = (...args: readonly string[]): string => fixture.git("-C", "../.segno/samples/shop-feature", ...args);

  await command("run", "code/feature.yaml", "--param", "percent=20", "--quiet");
  expect(git("ls-tree", "-r", "--name-only", "main").split("\n")).toEqual(
    expect.arrayContaining(["src/money.ts", "src/receipt.ts", "src/shop.ts", "test/receipt.test.ts"]),
  );
  expect(git("show", "main:src/shop.ts")).toContain("item.price * item.quantity, 0) * (1 - 20 / 100)");
  expect(git("show", "main:README.md")).toContain("discount");

  const report = JSON.parse(await command("status", "--json")) as Report;
  expect(report).toMatchObject({ status: "completed", landed: true });
  expect(report.tasks.map(({ progress }) => progress)).toEqual(Array(5).fill("landed"));
  expect(report.tasks.reduce((sum, { fixes }) => sum + fixes, 0)).toBe(2);
  expect(await command("status")).toMatch(/5\/5 tasks landed/u);
  expect(await command("diff", "money")).toMatch(/^\+export function formatAmount/mu);

  const opened = await fixture.run(["open", "money"]);
  expect([opened.exitCode, opened.stderr]).toEqual([5, expect.stringContaining("`money` has no workspace")]);
  const cleaned = JSON.parse(await command("clean", "--json")) as { readonly kept: readonly string[] };
  expect(cleaned.kept).toEqual([]);
  expect(git("for-each-ref", "--format=%(refname:short)", "refs/heads")).toBe("main");
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
});

it("CODE-1 the plan of the example creates nothing", async () => {
  using fixture = new CodeFixture();
  const words = ["plan", join(EXAMPLE, "feature.yaml"), "--repo", "repository"];
  const text = await fixture.run(words);
  expect([text.exitCode, text.stdout], text.stderr).toEqual([0, expect.stringContaining("session-receipt")]);
  const json = await fixture.run([...words, "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ schemaVersion: 1 });
  expect(fixture.traces()).toEqual(["refs/heads/main"]);
  expect(await fixture.run(["plan", join(EXAMPLE, "feature.yaml")])).toMatchObject({ exitCode: 0 });
  expect(await fixture.run(["run", join(EXAMPLE, "feature.yaml"), "--param", "x=1"])).toMatchObject({ exitCode: 3 });
  expect(existsSync(join(fixture.root, ".segno"))).toBe(false);
});
