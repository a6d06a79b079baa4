// The published packages work where they are installed: npm packs them, installs the tarballs into an empty folder, and there
// every example and every program of the documents runs and prints the text that the documents show, types are checked, and a
// bundle runs.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { shownPrograms, type DocumentProgram } from "./document-programs.ts";
import { EXAMPLE_RUNS, type ExampleRun } from "./example-runs.ts";
import { olderNode } from "./older-node.ts";
import { listEntries, linkFaults, manifestFaults, sourceMapFaults, sourceMaps } from "./packed-package.ts";
import { installPackages, type PackedProject } from "./packed-project.ts";
import { ROOT, filesUnder } from "./repository.ts";
import { runNode, runProgram, runTool, type ToolOptions, type ToolRun } from "./tool.ts";

// As many processes at once as the smallest machine has cores.
vi.setConfig({ maxConcurrency: 2, hookTimeout: 600_000 });

const DOCUMENT_PROGRAMS = shownPrograms();
/** Programs that a document shows run once, with the document. */
const SHOWN = new Set(DOCUMENT_PROGRAMS.flatMap((program) => (program.kind === "program" ? [program.file] : [])));

let project: PackedProject;

beforeAll(async () => {
  project = await installPackages(["@types/node"]);
});

afterAll(() => rmSync(project.home, { recursive: true, force: true }));

/** A folder in which the packages are found, with the examples; what runs there has a journal of its own. */
function openFolder(): string {
  mkdirSync(join(project.folder, "runs"), { recursive: true });
  const folder = mkdtempSync(join(project.folder, "runs", "run-"));
  cpSync(join(ROOT, "examples"), join(folder, "examples"), { recursive: true });
  return folder;
}

/** The command as npm has installed it. */
function segno(folder: string, words: readonly string[], options: ToolOptions = {}): Promise<ToolRun> {
  return runNode([join(project.folder, "node_modules/.bin/segno"), ...words], { ...options, folder });
}

function expectExit(run: ToolRun, exitCode: number): void {
  expect(run.exitCode, `${run.stdout}${run.stderr}`).toBe(exitCode);
}

const listRuns = (...kinds: readonly ExampleRun["kind"][]): readonly string[] =>
  Object.keys(EXAMPLE_RUNS).filter((file) => kinds.includes(EXAMPLE_RUNS[file]!.kind));

describe("installed from tarballs, the examples", () => {
  it("are all known, each with the way to run it", () => {
    const files = filesUnder("examples").map((file) => file.slice("examples/".length));
    expect(Object.keys(EXAMPLE_RUNS).toSorted()).toEqual(files);
  });

  it("are valid contracts", async () => {
    const contracts = listRuns("contract", "planned", "part").filter((file) => file.endsWith(".yaml"));
    const run = await segno(openFolder(), ["validate", ...contracts.map((file) => `examples/${file}`)]);
    expectExit(run, 0);
    expect(run.stdout.match(/^ok /gmu)).toHaveLength(contracts.length);
  });

  it("can be planned, also those that need what is not here", async () => {
    const folder = openFolder();
    for (const file of listRuns("planned")) expectExit(await segno(folder, ["plan", `examples/${file}`]), 0);
  });

  describe.concurrent("run:", () => {
    it.each(listRuns("program").filter((file) => !SHOWN.has(`examples/${file}`)))("the program %s", async (file) => {
      expectExit(await runNode([`examples/${file}`], { folder: openFolder() }), 0);
    });

    it.each(listRuns("template"))("the template %s", async (file) => {
      expectExit(await segno(openFolder(), ["code", "run", `examples/${file}`]), 0);
    });

    it.each(listRuns("contract"))("the contract %s", async (file) => {
      const example = EXAMPLE_RUNS[file] as ExampleRun & { kind: "contract" };
      expectExit(await runContract(`examples/${file}`, example), example.exitCode ?? 0);
    });
  });
});

async function runContract(file: string, example: ExampleRun & { kind: "contract" }): Promise<ToolRun> {
  const { words = [], env = {}, answers = [] } = example;
  const folder = openFolder();
  let answered: Promise<void> | undefined;
  const seen = (output: string): void => {
    if (/ waits for /u.test(output)) answered ??= answer(folder, answers);
  };
  const run = await segno(folder, ["run", file, "--id", "example", ...words], { env, seen });
  await answered;
  return run;
}

async function answer(folder: string, answers: readonly (readonly string[])[]): Promise<void> {
  for (const words of answers) expectExit(await segno(folder, words), 0);
}

describe.concurrent("installed from tarballs, the documents", () => {
  it.each(DOCUMENT_PROGRAMS.map((program, index) => ({ program, index, where: program.where })))(
    "$where is true",
    async ({ program, index }) => {
      const folder = openFolder();
      // A document shows the journal of what it has run before.
      if (readsJournal(program)) await printedByAll(DOCUMENT_PROGRAMS[index - 1] as DocumentCommands, folder);
      const printed =
        program.kind === "program" ? await printedBy(program, folder) : await printedByAll(program, folder);
      if (program.prints !== null) expect(printed).toBe(program.prints);
    },
  );
});

type DocumentCommands = DocumentProgram & { kind: "commands" };

const readsJournal = (program: DocumentProgram): boolean =>
  program.kind === "commands" &&
  program.commands.some((words) => words.includes("@last") || words[0] === "list") &&
  !program.commands.some(([verb]) => verb === "run");

async function printedBy(program: DocumentProgram & { kind: "program" }, folder: string): Promise<string> {
  const run = await runNode([program.file], { folder });
  expectExit(run, 0);
  return run.stdout;
}

async function printedByAll(program: DocumentCommands, folder: string): Promise<string> {
  let printed = "";
  for (const words of program.commands) {
    const run = await segno(folder, words);
    expectExit(run, program.exitCode);
    printed += program.exitCode === 0 ? run.stdout : run.stderr;
  }
  return printed;
}

describe("the packed packages", () => {
  it("have manifests that a package checker has nothing to say against", async () => {
    for (const name of project.names) {
      const run = await runTool("publint", ["--strict", "--pack", "false", installed(name)]);
      expect(`${run.stdout}${run.stderr}`).toContain("All good!");
    }
  });

  it("say what they are and where they come from", () => {
    expect(project.names.flatMap((name) => manifestFaults(installed(name)))).toEqual([]);
  });

  it("have a README whose links lead somewhere", () => {
    expect(project.names.flatMap((name) => linkFaults(installed(name)))).toEqual([]);
  });

  it("have source maps that show the sources", () => {
    for (const name of project.names) expect(sourceMaps(installed(name)).length, name).toBeGreaterThan(10);
    expect(project.names.flatMap((name) => sourceMapFaults(installed(name)))).toEqual([]);
  });
});

const installed = (name: string): string => join(project.folder, "node_modules", name);

describe("a strict program with the packed packages", () => {
  const RESOLUTIONS: readonly object[] = [
    { module: "node16", moduleResolution: "node16" },
    { module: "nodenext", moduleResolution: "nodenext" },
    { module: "preserve", moduleResolution: "bundler" },
  ];

  it.each(RESOLUTIONS)("is type-checked with %o", async (resolution) => {
    const folder = openFolder();
    cpSync(join(ROOT, "tidy/packed-program.ts"), join(folder, "program.ts"));
    const compilerOptions = { ...STRICT, ...resolution };
    // Tests of examples need vitest, which the packages do not bring.
    const exclude = ["node_modules", "examples/**/*.test.ts"];
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["."], exclude }));
    expectExit(await runTool("tsc", ["-p", folder, "--pretty", "false"], { folder }), 0);
  });

  it.each([
    ["cjs", "program.cjs", ""],
    // Some dependencies are CommonJS, and esbuild gives an ES module no `require`.
    [
      "esm",
      "program.mjs",
      'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    ],
  ] as const)("runs as one file of esbuild, with the format %s", async (format, name, banner) => {
    const source = join(openFolder(), "program.ts");
    cpSync(join(ROOT, "tidy/packed-program.ts"), source);
    const alone = join(project.home, `bundle-${format}`);
    const outfile = join(alone, name);
    const { warnings } = await build({
      entryPoints: [source],
      bundle: true,
      platform: "node",
      format,
      outfile,
      banner: { js: banner },
      logLevel: "silent",
    });
    // In CommonJS a module has no URL; worker files are not looked for then.
    expect(warnings.filter(({ id }) => id !== "empty-import-meta")).toEqual([]);
    expect(await runNode([outfile], { folder: alone })).toMatchObject({
      stdout: "v1\nINPUT_INVALID\nINPUT_INVALID\n42.0 is the answer\nnone 0\nfunction function function function\n",
      stderr: "",
      exitCode: 0,
    });
  });
});

/** All strict options of the compiler; `skipLibCheck` is off, so that our declarations are checked too. */
const STRICT: object = {
  target: "es2024",
  lib: ["es2024", "esnext.disposable"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
  noEmit: true,
};

describe("on a Node.js that is too old, the packed packages", () => {
  const SENTENCE = /Segno needs Node\.js 24 or newer, but this is Node\.js \d+\.\d+\.\d+: install a newer one/u;
  /** This Node.js, which is told that it is an older one without SQLite. */
  const OLDER = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })";
  const SIMULATED = [
    process.execPath,
    "--no-experimental-sqlite",
    "--import",
    `data:text/javascript,${OLDER}`,
  ] as const;

  it("say so when they are imported, whichever entry it is", async () => {
    const entries = project.names
      .flatMap((name) => (PURE.has(name) ? [] : listEntries(installed(name))))
      .filter((entry) => !PURE.has(entry));
    expect(entries.length).toBeGreaterThan(10);
    for (const entry of entries) {
      const run = await importWith(SIMULATED, entry);
      expect([entry, run.exitCode, run.stderr]).toEqual([entry, 1, expect.stringMatching(SENTENCE)]);
      expect(run.stderr, entry).not.toMatch(/^ {4}at /mu);
    }
  });

  it("say so on the older Node.js of this machine, if it has one", async (context) => {
    const node = olderNode();
    if (node === undefined) return context.skip("this machine has no older Node.js");
    const run = await importWith([node], "segno");
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringMatching(SENTENCE)]);
    const command = await runProgram([node, join(installed("segno"), "bin/segno.js"), "list"], {
      folder: openFolder(),
    });
    expect([command.exitCode, command.stderr]).toEqual([2, expect.stringContaining("segno needs Node.js 24 or newer")]);
  });

  it("say so when Node.js has no SQLite", async () => {
    const run = await importWith([process.execPath, "--no-experimental-sqlite"], "segno");
    expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining("node:sqlite is missing")]);
  });
});

/** They use nothing of Node.js, and load anywhere. */
const PURE: ReadonlySet<string> = new Set(["@segno/kernel", "@segno/planner", "@segno/client", "segno/client"]);

function importWith([node, ...flags]: readonly [string, ...string[]], entry: string): Promise<ToolRun> {
  const words = [node, ...flags, "--input-type=module", "--eval", `import ${JSON.stringify(entry)};`] as const;
  return runProgram(words, { folder: project.folder });
}
