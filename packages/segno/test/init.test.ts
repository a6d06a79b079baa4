// `segno init`: what it writes runs as it stands, and it writes over nothing.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { TEMPLATES } from "../src/init/templates.ts";
import { TEMPLATE_NAMES } from "../src/init/template-names.ts";
import { hasScript, PseudoTerminal } from "./pseudo-terminal.ts";
import { runSegno, RunningSegno, type SegnoRun } from "./run-segno.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

let folder = "";
const path = (name: string): string => join(folder, name);
const text = (name: string): string => readFileSync(path(name), "utf8");
const segno = (...words: readonly string[]): Promise<SegnoRun> => runSegno(words, { folder });

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "segno-init-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("what init writes", () => {
  it.each([
    ["commands", "HELLO, WORLD! (12 letters)"],
    ["typescript", { text: "Hello, world", letters: 11 }],
    ["map", { summary: "4 postcards", postcards: expect.arrayContaining(["Greetings from Lima"]) as unknown }],
  ])("%s is valid, and runs as it stands", async (template, output) => {
    const input = template === "map" ? ["--input", '{"cities":["Rome","Lima","Oslo","Bonn"]}'] : [];
    expect(await segno("init", "--yes", "--template", template, "--name", "trial")).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    expect(await segno("validate", "trial.yaml")).toMatchObject({ exitCode: 0, stderr: "" });
    const run = await segno("run", "trial.yaml", "--quiet", ...input);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).not.toMatch(/warning/iu);
    expect(JSON.parse(run.stdout)).toEqual(output);
  });

  it("approval is valid, and waits for somebody", async () => {
    await segno("init", "--yes", "--template", "approval", "--name", "trial");
    expect(await segno("validate", "trial.yaml")).toMatchObject({ exitCode: 0, stderr: "" });
    const running = new RunningSegno(["run", "trial.yaml"], { folder });
    await running.reports(/ask waits for approval/u);
    expect(await segno("approve", "@last", "ask", "--by", "ada")).toMatchObject({ exitCode: 0 });
    const run = await running.ended;
    expect([run.exitCode, run.stdout], run.stderr).toEqual([0, '"published v1"\n']);
  });

  it("typescript runs whatever a package.json around it says", async () => {
    writeFileSync(path("package.json"), '{ "type": "commonjs" }');
    await segno("init", "--yes", "--template", "typescript", "--name", "trial");
    expect(await segno("run", "trial.yaml")).toMatchObject({ exitCode: 0 });
  });

  it("has a way to run each template", () => {
    expect(Object.keys(TEMPLATES)).toEqual(TEMPLATE_NAMES);
    for (const { files, isProject } of Object.values(TEMPLATES))
      expect(Object.keys(files)[0]).toBe(isProject === true ? "src/workflow.ts" : ".yaml");
  });
});

describe("init --yes", () => {
  it("is called as its folder, which it makes, and says what to type next", async () => {
    const { stdout } = await segno("init", "deep/My Project");
    expect(stdout).toBe("");
    const run = await segno("init", "deep/My Project", "--yes");
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readdirSync(path("deep/My Project")).toSorted()).toEqual([".gitignore", "my-project.yaml"]);
    expect(run.stdout).toContain("wrote deep/My Project/my-project.yaml\n");
    expect(run.stdout).toMatch(/next:\n {2}cd 'deep\/My Project'\n {2}segno plan my-project\.yaml .*\n {2}segno run /u);
  });

  it("adds a line to .gitignore where it is missing, and only there", async () => {
    writeFileSync(path(".gitignore"), "dist/");
    await segno("init", "--yes", "--name", "one");
    expect(text(".gitignore")).toBe("dist/\n.segno/\n");
    const again = await segno("init", "--yes", "--name", "two");
    expect(text(".gitignore")).toBe("dist/\n.segno/\n");
    expect(again.stdout).not.toContain(".gitignore");
  });
});

describe("init writes over nothing", () => {
  it("FILE_EXISTS names the file and leaves it as it is", async () => {
    writeFileSync(path("trial.yaml"), "mine");
    const run = await segno("init", "--yes", "--name", "trial");
    expect(run).toMatchObject({ exitCode: 6, stdout: "" });
    expect(run.stderr).toContain("FILE_EXISTS trial.yaml already exists");
    expect([text("trial.yaml"), readdirSync(folder)]).toEqual(["mine", ["trial.yaml"]]);
  });

  it("F2 FILE_EXISTS takes back what it wrote before it met what was there", async () => {
    writeFileSync(path("trial.mts"), "mine");
    const run = await segno("init", "--yes", "--name", "trial", "--template", "typescript");
    expect(run).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("trial.mts") });
    expect(readdirSync(folder)).toEqual(["trial.mts"]);
  });

  it("F1 FILE_EXISTS does not write through a link, even if it leads nowhere", async () => {
    symlinkSync(path("elsewhere"), path("trial.yaml"));
    expect(await segno("init", "--yes", "--name", "trial")).toMatchObject({ exitCode: 6 });
    expect(existsSync(path("elsewhere"))).toBe(false);
  });

  it("F2 FILE_UNWRITABLE takes back the folders that it made, too", async () => {
    mkdirSync(path(".gitignore"));
    const run = await segno("init", "--yes", "--name", "trial");
    expect(run).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("FILE_UNWRITABLE") });
    expect(readdirSync(folder)).toEqual([".gitignore"]);
    writeFileSync(path("file"), "");
    expect(await segno("init", "file/inside", "--yes")).toMatchObject({ exitCode: 3 });
  });
});

describe("init without a terminal", () => {
  it.each([
    ["nothing can be asked", ["init"], "--yes"],
    ["a name that is none", ["init", "--yes", "--name", "../up"], "begins with a letter"],
    ["a template that is none", ["init", "--yes", "--template", "magic"], "commands, typescript, map, approval"],
  ])("%s: ends with 2, says so, and writes nothing", async (_, words, message) => {
    const run = await segno(...words);
    expect(run).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(readdirSync(folder)).toEqual([]);
  });
});

// Left out where `script` of util-linux is missing: Node has no pseudo-terminal of its own.
describe.skipIf(!hasScript)("init on a terminal", () => {
  const open = (...words: readonly string[]): PseudoTerminal => new PseudoTerminal(["init", ...words], { folder });

  it("asks for a name and a kind, and again where the answer means nothing", async () => {
    const terminal = open();
    await terminal.shows(/What is the name of the workflow\?/u);
    terminal.press("no name!\r");
    await terminal.shows(/a name has letters/u);
    terminal.press("cards\r");
    await terminal.shows(/Which template\?/u);
    terminal.press("7\r");
    await terminal.shows(/expected 1 to 5/u);
    terminal.press("3\r");
    expect(await terminal.ended).toBe(0);
    expect(text("cards.yaml")).toContain("\nname: cards\n");
    expect(text("cards.yaml")).toContain("map:");
  });

  it("takes what it suggests for an empty answer, and does not ask what an option says", async () => {
    const terminal = open("--template", "typescript", "tour");
    await terminal.shows(/What is the name of the workflow\?/u);
    terminal.press("\r");
    expect(await terminal.ended).toBe(0);
    expect(terminal.output).not.toContain("Which template?");
    expect(readdirSync(path("tour")).toSorted()).toEqual([".gitignore", "tour.mts", "tour.yaml"]);
  });

  it.each([
    ["Ctrl-C", CTRL_C],
    ["Ctrl-D", CTRL_D],
  ])("I1 %s ends with 130 and leaves nothing behind", async (_, key) => {
    const terminal = open("new");
    await terminal.shows(/What is the name of the workflow\?/u);
    terminal.press("half\r");
    await terminal.shows(/Which template\?/u);
    terminal.press(key);
    expect(await terminal.ended).toBe(130);
    expect(terminal.output).toContain("nothing was written");
    expect(readdirSync(folder)).toEqual([]);
  });
});
