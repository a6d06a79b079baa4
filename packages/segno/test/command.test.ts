// The command as scripts and people see it: exit codes, streams, colour.

import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { runSegno } from "./run-segno.ts";

const PUBLISH = "examples/publish/publish.yaml";
const ESCAPE = "\u001b";
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };

describe("the command", () => {
  it("prints its version and nothing else", async () => {
    expect(await runSegno(["--version"])).toEqual({
      exitCode: 0,
      signal: null,
      stdout: `${manifest.version}\n`,
      stderr: "",
    });
  });

  it("tells whoever has an old Node what to do", async () => {
    const pretend = "Object.defineProperty(process,'versions',{value:{node:'20.1.0'}})";
    const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}` };
    const run = await runSegno(["plan", PUBLISH], { environment });
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toMatch(/^segno needs Node\.js 24 or newer/u);
  });

  it("explains itself on stdout when it is asked", async () => {
    const run = await runSegno(["--help"]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    for (const word of ["validate", "plan", "graph", "--color", "Examples:", "Exit codes:"])
      expect(run.stdout).toContain(word);
  });

  it("explains itself on stderr when nothing is asked", async () => {
    const run = await runSegno([]);
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toContain("Usage: segno <command>");
  });

  it.each([
    ["an unknown command", ["pln", PUBLISH], "Did you mean plan?"],
    ["an unknown option", ["plan", PUBLISH, "--jsn"], "Did you mean --json?"],
    ["a missing argument", ["graph"], "missing required argument 'file'"],
    ["an argument too many", ["plan", PUBLISH, PUBLISH], "too many arguments"],
    ["an unknown format", ["graph", PUBLISH, "--format", "png"], "mermaid, dot, svg, json"],
    ["an unknown colour", ["plan", PUBLISH, "--color", "blue"], "auto, always, never"],
    ["standard input used twice", ["plan", "-", "--input", "@-"], "not both"],
  ])("ends with 2 for %s, and says so on stderr", async (_, words, message) => {
    const run = await runSegno(words);
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toMatch(/^segno: /u);
    expect(run.stderr).toContain(message);
  });
});

describe("validate", () => {
  it("has a line for each file that is well, and goes on behind one that is not", async () => {
    const run = await runSegno(["validate", PUBLISH, "missing.yaml", "examples/hello/hello.yaml"]);
    expect(run.exitCode).toBe(3);
    expect(run.stdout).toMatch(
      /^ok examples\/publish\/publish\.yaml publish, 5 steps, sha256:[0-9a-f]{12}\nok .*hello, 1 step, .*\n$/u,
    );
    expect(run.stderr).toContain("missing.yaml is invalid: 1 problem\n");
  });

  it("reads a contract from standard input", async () => {
    const run = await runSegno(["validate", "-"], { stdin: "name: piped\nsteps:\n  - { id: a, run: make }\n" });
    expect(run).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^ok <stdin> piped, 1 step, sha256:/u),
      stderr: "",
    });
  });

  it("gives its findings as JSON, without colour even where colour is forced", async () => {
    const run = await runSegno(["validate", PUBLISH, "missing.yaml", "--json"], { environment: { FORCE_COLOR: "1" } });
    expect(run).toMatchObject({ exitCode: 3, stderr: "" });
    expect(run.stdout).not.toContain(ESCAPE);
    expect(JSON.parse(run.stdout)).toMatchObject({
      schemaVersion: 1,
      ok: false,
      files: [
        { file: PUBLISH, ok: true, workflow: "publish", steps: 5 },
        { file: "missing.yaml", ok: false, problems: [{ code: "CONTRACT_UNREADABLE", line: 1, column: 1 }] },
      ],
    });
  });
});

describe("plan", () => {
  it("prints the plan of the example, to the letter", async () => {
    const run = await runSegno(["plan", PUBLISH]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    await expect(run.stdout).toMatchFileSnapshot("golden/publish-plan.txt");
  });

  it("gives the plan as JSON, without colour even where colour is forced", async () => {
    const input = '{"tag":"v1","channel":"next"}';
    const run = await runSegno(["plan", PUBLISH, "--json", "--input", input, "--color=always"], {
      environment: { FORCE_COLOR: "1" },
    });
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).not.toContain(ESCAPE);
    const plan = JSON.parse(run.stdout) as { steps: readonly { id: string; verdict: object }[] };
    expect(plan).toMatchObject({
      schemaVersion: 1,
      workflow: "publish",
      waves: [["build"], ["test", "notes"], ["publish"], ["announce"]],
    });
    expect(plan.steps.find(({ id }) => id === "notes")?.verdict).toEqual({
      kind: "skipped",
      reason: "condition-false",
    });
  });

  it("takes the input from standard input", async () => {
    const run = await runSegno(["plan", PUBLISH, "--input", "@-"], { stdin: '{"tag":"v1"}' });
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toContain("if input.channel != 'next': true");
  });

  it("is coloured where that is forced, and NO_COLOR beats that, without a warning", async () => {
    const forced = await runSegno(["plan", PUBLISH], { environment: { FORCE_COLOR: "1" } });
    expect(forced.stdout).toContain(`${ESCAPE}[1mpublish`);
    const both = await runSegno(["plan", PUBLISH], { environment: { FORCE_COLOR: "1", NO_COLOR: "1" } });
    expect(both).toMatchObject({ exitCode: 0, stderr: "" });
    expect(both.stdout).not.toContain(ESCAPE);
  });
});

describe("graph", () => {
  it("draws mermaid unless told otherwise", async () => {
    const run = await runSegno(["graph", PUBLISH]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    await expect(run.stdout).toMatchFileSnapshot("golden/publish-graph.mmd");
  });

  it("GRAPH_TOO_LARGE refuses a picture that nobody could read, and says what to use", async () => {
    const steps = Array.from({ length: 5001 }, (_, index) => `- { id: s${index}, run: x }`).join("\n");
    const run = await runSegno(["graph", "-", "--format", "svg"], { stdin: `name: large\nsteps:\n${steps}\n` });
    expect(run).toMatchObject({ exitCode: 3, stdout: "" });
    expect(run.stderr).toMatch(
      /^segno: GRAPH_TOO_LARGE expected at most 5,000 steps.*found 5,001 and 0; --format dot or json has no limit\n$/u,
    );
  });

  it("ends quietly when nobody reads on", async () => {
    const steps = Array.from({ length: 5000 }, (_, index) => `- { id: s${index}, run: x }`).join("\n");
    const run = await runSegno(["graph", "-", "--format", "json"], {
      stdin: `name: large\nsteps:\n${steps}\n`,
      closeEarly: true,
    });
    expect(run).toMatchObject({ exitCode: 0, signal: null, stderr: "" });
  });
});
