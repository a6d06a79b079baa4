// Bad input of every kind: a clear message with a position, exit code 3, no stack trace, no crash.

import { mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { runSegno, type SegnoRun } from "./run-segno.ts";

let folder = "";
const fileNamed = (name: string): string => join(folder, name);

const LAUGHS = [
  "a: &a [x, x, x, x, x, x, x, x, x]",
  ..."bcdefgh".split("").map((name, index) => `${name}: &${name} [${`*${"abcdefg"[index]}, `.repeat(9)}]`),
].join("\n");

const DOCUMENTS: Readonly<Record<string, string | Uint8Array>> = {
  "empty.yaml": "",
  "blank.yaml": "\n  \n# nothing\n",
  "binary.yaml": Uint8Array.from({ length: 4096 }, (_, index) => (index * 197) % 256),
  "unknown-key.yaml": "name: a\nsteps:\n  - id: build\n    run: make\n    dependOn: [x]\n",
  "laughs.yaml": `${LAUGHS}\n`,
  "deep.yaml": "[".repeat(2000),
  "deep-map.yaml": "{a: ".repeat(2000),
  "not-yaml.yaml": "name: [\nsteps: }\n",
  "escapes.yaml": 'name: a\nsteps:\n  - id: "\\e]0;owned\\a\\e[31m"\n    run: "true"\n',
  "raw-escape.yaml": "name: a\u001b[31m\nsteps: []\n",
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "segno-bad-"));
  for (const [name, content] of Object.entries(DOCUMENTS)) await writeFile(fileNamed(name), content);
  await mkdir(fileNamed("folder"));
  const large = await open(fileNamed("large.yaml"), "w");
  await large.truncate(100 * 1024 * 1024);
  await large.close();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function expectRefusal(run: SegnoRun, file: string): void {
  expect(run).toMatchObject({ exitCode: 3, signal: null, stdout: "" });
  expect(run.stderr).toMatch(new RegExp(`${file}:\\d+:\\d+ [A-Z_]+\\n`, "u"));
  expectNoTrace(run);
}

function expectNoTrace(run: SegnoRun): void {
  expect(run.stderr).not.toMatch(/^\s+at |node:internal|Error:/mu);
}

describe("a bad contract", () => {
  it.each([
    ["missing.yaml", "CONTRACT_UNREADABLE", "there is no such file"],
    ["folder", "CONTRACT_UNREADABLE", "it is a folder"],
    ["empty.yaml", "CONTRACT_EMPTY", "expected a contract"],
    ["blank.yaml", "CONTRACT_EMPTY", "expected a contract"],
    ["binary.yaml", "CONTRACT_ENCODING", "binary file"],
    ["large.yaml", "CONTRACT_TOO_LARGE", "found 104,857,600"],
    ["unknown-key.yaml", "UNKNOWN_KEY", "dependsOn"],
    ["not-yaml.yaml", "CONTRACT_SYNTAX", "YAML"],
  ])("CONTRACT-3 CONTRACT-9 %s is refused by its place and %s", async (file, code, words) => {
    const run = await runSegno(["plan", fileNamed(file)]);
    expectRefusal(run, file);
    expect(run.stderr).toContain(code);
    expect(run.stderr).toContain(words);
  });

  it("CONTRACT-9 bombs are refused, also twice in one process", async () => {
    const bombs = ["laughs.yaml", "deep.yaml", "deep-map.yaml"].map(fileNamed);
    const run = await runSegno(["validate", ...bombs, ...bombs]);
    expectRefusal(run, "laughs.yaml");
    expect(run.stderr.match(/is invalid: /gu)).toHaveLength(6);
  });

  it("CONTRACT-4 an unknown key is shown with the key that was meant", async () => {
    const run = await runSegno(["graph", fileNamed("unknown-key.yaml")]);
    expect(run.stderr).toContain("unknown-key.yaml:5:5 UNKNOWN_KEY");
    expect(run.stderr).toContain("> 5 |     dependOn: [x]\n    |     ^");
  });

  it("a document cannot steer the terminal, not even in colour", async () => {
    const run = await runSegno(["validate", fileNamed("escapes.yaml"), fileNamed("raw-escape.yaml"), "--color=always"]);
    expect(run.exitCode).toBe(3);
    // oxlint-disable-next-line no-control-regex
    expect(run.stderr.replaceAll(/\u001b\[\d+m/gu, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u);
    expect(run.stderr).toContain("owned");
  });

  it("an endless contract on standard input is cut off", async () => {
    const run = await runSegno(["validate", "-"], { stdin: "# endless\n".repeat(300_000) });
    expectRefusal(run, "<stdin>");
    expect(run.stderr).toContain("CONTRACT_TOO_LARGE");
  });
});

const plan = (input: string): Promise<SegnoRun> =>
  runSegno(["plan", "examples/publish/publish.yaml", "--input", input]);

describe("a bad input", () => {
  it("that is not JSON is a usage error", async () => {
    const run = await plan("{tag: v1}");
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toMatch(/^segno: expected JSON in --input, but .*\n$/u);
  });

  it("INPUT_INVALID that does not fit the schema is refused with each place", async () => {
    const run = await plan('{"tag":7}');
    expect(run).toMatchObject({ exitCode: 3, stdout: "" });
    expect(run.stderr).toContain("INPUT_INVALID");
    expect(run.stderr).toContain("  input.tag must be string\n");
  });

  it("INPUT_UNREADABLE in a file that is not there, or a folder, is refused", async () => {
    const missing = await plan("@missing.json");
    expect(missing).toMatchObject({
      exitCode: 3,
      stdout: "",
      stderr: expect.stringContaining("INPUT_UNREADABLE missing.json"),
    });
    const run = await plan(`@${folder}`);
    expect(run).toMatchObject({ exitCode: 3, stdout: "", stderr: expect.stringContaining("it is a folder") });
  });

  it("VALUE_TOO_LARGE of 100 MB is refused before it is read", async () => {
    const run = await plan(`@${fileNamed("large.yaml")}`);
    expect(run).toMatchObject({ exitCode: 3, stdout: "", stderr: expect.stringContaining("VALUE_TOO_LARGE") });
  });

  it.skipIf(process.platform === "win32")("VALUE_TOO_LARGE of a device without end is refused", async () => {
    const run = await plan("@/dev/zero");
    expect(run).toMatchObject({
      exitCode: 3,
      stdout: "",
      stderr: expect.stringContaining("VALUE_TOO_LARGE /dev/zero"),
    });
  });
});
