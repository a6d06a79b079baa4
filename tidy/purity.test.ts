// The kernel and the planner are pure, and the compiler and the linter say so. These tests plant impure files and watch the
// real tools, with the project's own settings, refuse them: a setting that silently stopped biting would be seen here.

import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { importedNames, packageName, withoutComments } from "./import-statements.ts";
import { ROOT, isTest, packageSources, readText } from "./repository.ts";
import { runTool } from "./tool.ts";

interface Impurity {
  readonly name: string;
  readonly source: string;
}

const REFUSED_BY_COMPILER: readonly Impurity[] = [
  { name: "node:fs", source: 'import { readFileSync } from "node:fs";\nexport const text: unknown = readFileSync;\n' },
  { name: "fs", source: 'import { readFileSync } from "fs";\nexport const text: unknown = readFileSync;\n' },
  { name: "process", source: "export const planted: unknown = process;\n" },
  { name: "console", source: "console.log(1);\n" },
  { name: "setTimeout", source: "setTimeout(() => {}, 1);\n" },
  { name: "queueMicrotask", source: "queueMicrotask(() => {});\n" },
  { name: "AbortController", source: "export const planted: unknown = new AbortController();\n" },
  { name: "fetch", source: 'export const planted: unknown = fetch("/");\n' },
  { name: "Buffer", source: "export const planted: unknown = Buffer;\n" },
];

const REFUSED_BY_LINTER: readonly Impurity[] = [
  { name: "Date.now()", source: "export const planted: number = Date.now();\n" },
  { name: "new Date()", source: "export const planted: unknown = new Date();\n" },
  { name: "Math.random()", source: "export const planted: number = Math.random();\n" },
  { name: "Intl", source: "export const planted: unknown = new Intl.Collator();\n" },
  { name: "performance", source: "export const planted: number = performance.now();\n" },
  { name: "crypto", source: "export const planted: string = crypto.randomUUID();\n" },
];

/** The packages that are pure, and what each may import beside its own files, and from where. */
const PURE: Readonly<Record<string, { readonly name: string; readonly under: string }>> = {
  kernel: { name: "@jmespath-community/jmespath", under: "packages/kernel/src/data/jmespath" },
  planner: { name: "@segno/kernel", under: "packages/planner/src/" },
};

const toFile = (index: number): string => `planted-${index}.ts`;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "segno-purity-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** It knows the options by which interpreters are given code; it names them, and calls nothing. */
const NAMES_OPTIONS = "packages/kernel/src/program/inline-script.ts";

function readCode(file: string): string {
  const code = withoutComments(readText(file));
  return file === NAMES_OPTIONS ? code.replaceAll(/\/\^.*\/u/gu, "") : code;
}

describe.each(Object.keys(PURE))("the compiler, with the settings of the %s", (pure) => {
  let said: string;

  beforeAll(async () => {
    const planted = join(folder, pure, "compiled");
    await plant(planted, [...REFUSED_BY_COMPILER, { name: "pure", source: "export const planted: number = 1;\n" }]);
    // The package's own sources are compiled along, so that types which they pull in would count too.
    await writeFile(join(planted, "package.json"), '{ "type": "module" }');
    await symlink(join(ROOT, "node_modules"), join(planted, "node_modules"), "junction");
    await writeFile(join(planted, "tsconfig.json"), JSON.stringify(compilerSettings(pure, planted)));
    const run = await runTool("tsc", ["-p", planted, "--pretty", "false"], { folder: planted });
    said = run.stdout;
  });

  it.each(REFUSED_BY_COMPILER.map(({ name }, index) => [name, index] as const))("refuses %s", (name, index) => {
    const complaint = said.split("\n").filter((line) => line.startsWith(`${toFile(index)}(`));
    expect(complaint.join("\n")).toContain(`Cannot find name '${name}'`);
  });

  it("accepts a pure file", () => {
    expect(said).not.toContain(`${toFile(REFUSED_BY_COMPILER.length)}(`);
  });
});

describe.each(Object.keys(PURE))("the linter, with the project's settings, in the %s", (pure) => {
  let said: string;

  beforeAll(async () => {
    const planted = join(folder, pure, "linted");
    await plant(join(planted, `packages/${pure}/src`), [
      ...REFUSED_BY_LINTER,
      { name: "pure", source: "export const planted = 1;\n" },
    ]);
    await copyFile(join(ROOT, ".oxlintrc.json"), join(planted, ".oxlintrc.json"));
    const run = await runTool("oxlint", ["--format=unix", "packages"], { folder: planted });
    said = run.stdout;
  });

  it.each(REFUSED_BY_LINTER.map(({ name }, index) => [name, index] as const))("refuses %s", (_name, index) => {
    const complaint = said.split("\n").filter((line) => line.includes(`${toFile(index)}:`));
    expect(complaint.join("\n")).toMatch(/no-restricted-(?:globals|properties)/u);
  });

  it("accepts a pure file", () => {
    expect(said).not.toContain(`${toFile(REFUSED_BY_LINTER.length)}:`);
  });
});

describe.each(Object.entries(PURE))("the sources of the %s", (pure, { name: allowed, under }) => {
  const sources = packageSources().filter((file) => file.startsWith(`packages/${pure}/src/`) && !isTest(file));

  it("are there", () => {
    expect(sources.length).toBeGreaterThan(10);
  });

  it("import their own files, and one other thing in one place", () => {
    const foreign = sources.flatMap((file) =>
      importedNames(readText(file))
        .filter((name) => !name.startsWith("."))
        .filter((name) => packageName(name) !== allowed || !file.startsWith(under))
        .map((name) => `${file} imports ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  it("do not reach around the linter, and do not ask for the machine's language", () => {
    const around = /\b(?:globalThis|localeCompare|toLocale\w+|eval|import\.meta)\b|\bnew Function\b/u;
    const switchedOff = /oxlint-disable|eslint-disable|@ts-(?:ignore|expect-error|nocheck)/u;
    const guilty = sources.filter((file) => around.test(readCode(file)) || switchedOff.test(readText(file)));
    expect(guilty).toEqual([]);
  });
});

async function plant(target: string, impurities: readonly Impurity[]): Promise<void> {
  await mkdir(target, { recursive: true });
  await Promise.all(impurities.map(({ source }, index) => writeFile(join(target, toFile(index)), source)));
}

/** The package's settings, without what writes files. */
function compilerSettings(pure: string, planted: string): object {
  return {
    extends: join(ROOT, `packages/${pure}/tsconfig.json`),
    compilerOptions: {
      rootDir: "/",
      noEmit: true,
      composite: false,
      declaration: false,
      declarationMap: false,
      isolatedDeclarations: false,
    },
    // Built before or not, what the package imports from others of ours is compiled from source.
    references: [],
    include: [join(planted, "*.ts"), join(ROOT, `packages/${pure}/src/**/*.ts`)],
    exclude: [join(ROOT, `packages/${pure}/src/**/*.test.ts`)],
  };
}
