// Help: every verb explains itself with examples, and nothing heavy is loaded for it.

import { describe, expect, it } from "vitest";

import { runSegno } from "./run-segno.ts";

const PLAIN_VERBS: readonly string[] = [
  ..."run work retry list show logs watch why cancel pause resume signal approve reject".split(" "),
  ..."validate plan graph explain db init doctor completions".split(" "),
];
const VERBS: readonly string[] = [...PLAIN_VERBS, "db check", "db vacuum", "db backup", "db export", "db import"];

/** Tells on stderr which packages were loaded. */
const SPY = `
import { registerHooks } from "node:module";
const seen = new Set();
registerHooks({ load: (url, context, next) => (seen.add(url), next(url, context)) });
process.on("exit", () => process.stderr.write([...seen].join("\\n")));
`;
const spied = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SPY)}` };

describe("help", () => {
  it.each(VERBS.map((verb) => [verb]))("of %s has a usage and two examples", async (verb) => {
    const run = await runSegno([...verb.split(" "), "--help"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toContain(`Usage: segno ${verb} `);
    const examples = run.stdout.split("\nExamples:\n")[1] ?? "";
    expect(
      examples.split("\n").filter((line) => line.includes(`segno ${verb} `) || line.endsWith(`segno ${verb}`)).length,
    ).toBeGreaterThan(1);
  });

  it("lists the verbs in groups, and every exit code", async () => {
    const { stdout } = await runSegno(["--help"]);
    for (const heading of ["Run:", "Inspect:", "Control:", "Contracts", "Maintain:", "Set up:"])
      expect(stdout).toContain(`\n${heading}`);
    for (const verb of PLAIN_VERBS) expect(stdout).toMatch(new RegExp(`^ {2}${verb} `, "mu"));
    for (const code of [0, 1, 2, 3, 5, 6, 7, 124, 129, 130, 131, 143])
      expect(stdout).toMatch(new RegExp(`^ {2}${code} `, "mu"));
  });

  it.each([[["--version"]], [["--help"]], [["run", "--help"]]])("%s loads no engine", async (words) => {
    const run = await runSegno(words, { environment: spied });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain("segno.js");
    expect(run.stderr).not.toMatch(/packages\/(?:engine|kernel|contract)\//u);
  });
});
