// Names, sizes and words: what the house style asks and neither compiler nor linter checks.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";

import { describe, expect, it } from "vitest";

import { withoutComments } from "./import-statements.ts";
import { ROOT, codeFiles, filesUnder, readText } from "./repository.ts";
import { runTool } from "./tool.ts";

/** Names that say nothing about what is inside. */
const EMPTY_NAMES: ReadonlySet<string> = new Set(
  "utils util helpers helper common misc lib types interfaces main manager classes".split(" "),
);

const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/u;

/** Text that people write; the lockfile and generated schemas are made by tools. */
function writtenFiles(): string[] {
  return filesUnder(".").filter(
    (file) => /\.(?:[cm]?[jt]s|json|md|ya?ml)$|^\.ci\/|^\.npmrc$/u.test(file) && file !== "package-lock.json",
  );
}

function guilty(files: readonly string[], pattern: RegExp, read: (file: string) => string = readText): string[] {
  return files.flatMap((file) => {
    const match = pattern.exec(read(file));
    return match === null ? [] : [`${file}: ${match[0].trim()}`];
  });
}

const readCode = (file: string): string => withoutComments(readText(file));

describe("file names", () => {
  it("are kebab-case", () => {
    expect(codeFiles().filter((file) => !KEBAB.test(posix.basename(file)))).toEqual([]);
  });

  it("say what is inside, and so do folder names", () => {
    const empty = codeFiles().filter((file) => file.split("/").some((part) => EMPTY_NAMES.has(part.split(".")[0]!)));
    expect(empty).toEqual([]);
  });
});

describe("sources", () => {
  it("export by name: no export of everything, no default", () => {
    const files = codeFiles().filter((file) => !file.endsWith(".config.ts"));
    expect(guilty(files, /^export (?:\*|default\b).*/mu, readCode)).toEqual([]);
  });

  it("have unions instead of enums, and no namespaces", () => {
    expect(
      guilty(codeFiles(), /^\s*(?:export )?(?:declare )?(?:const )?(?:enum|namespace) \w+ \{/mu, readCode),
    ).toEqual([]);
  });

  it("leave no reminders behind", () => {
    expect(guilty(writtenFiles(), /\b(?:TO[D]O|FI[X]ME|XX[X]|HA[C]K)\b/u)).toEqual([]);
  });

  it("know no machine: no home folder, no place of a checkout", () => {
    const machinePath = /(?:^|[\s"'`(=:])(?:\/home\/\w|\/Users\/\w|\/root\/|\/work\/|\/workspace\/|[A-Z]:\\Users)/u;
    expect(guilty(writtenFiles(), machinePath)).toEqual([]);
  });

  it("leave the choice of a registry to whoever installs", () => {
    expect(guilty(["package-lock.json", ".npmrc"], /"resolved": "https?:.*|^registry=.*/mu)).toEqual([]);
  });

  // The entry of segno is a list of exports, one in each line: it may have 600 lines.
  it("stay within 400 lines a file and 70 lines a function", async () => {
    const run = await runTool("oxlint", ["-c", "tidy/sizes.oxlintrc.json", "--format=unix", "packages", "tidy"]);
    expect(run.stdout.split("\n").filter((line) => line.includes("max-lines"))).toEqual([]);
  });
});

describe("the measure of sizes", () => {
  it("sees a long function and a long file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "segno-sizes-"));
    try {
      await writeFile(join(folder, "long.ts"), `export function long() {\n${"  void 0;\n".repeat(401)}}\n`);
      const run = await runTool("oxlint", ["-c", join(ROOT, "tidy/sizes.oxlintrc.json"), "--format=unix", "."], {
        folder,
      });
      expect(run.stdout).toMatch(/max-lines\)/u);
      expect(run.stdout).toMatch(/max-lines-per-function\)/u);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
