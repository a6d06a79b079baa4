// The programs in the documents are the files in examples/, they run, and they print the text that the documents show.

import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { type DocumentProgram, documentPrograms, splitWords } from "./document-programs.ts";
import { ROOT, filesUnder, readText } from "./repository.ts";
import { type ToolRun, runNode } from "./tool.ts";

const COMMAND = join(ROOT, "packages/segno/bin/segno.js");

// As many processes at once as the smallest machine has cores.
vi.setConfig({ maxConcurrency: 2 });

const documents = ["README.md", ...filesUnder("docs").filter((file) => file.endsWith(".md"))].filter((file) =>
  existsSync(join(ROOT, file)),
);
const programs = documents.flatMap((document) => documentPrograms(document, readText(document)));

describe("the documents", () => {
  it("have a README that shows at least one thing that is run", () => {
    const shown = programs.filter((program) => program.where.startsWith("README.md:"));
    expect(existsSync(join(ROOT, "README.md")) ? shown : ["no README yet"]).not.toEqual([]);
  });

  describe.concurrent("show what happens:", () => {
    for (const [index, program] of programs.entries()) {
      it(`${program.where} is true`, async () => {
        const folder = openFolder();
        // A document shows the journal of what it has run before.
        if (readsJournal(program)) await checkCommands(programs[index - 1] as DocumentCommands, folder);
        if (program.kind === "program") await checkProgram(program, folder);
        else await checkCommands(program, folder);
        rmSync(folder, { recursive: true });
      });
    }
  });
});

type DocumentCommands = DocumentProgram & { kind: "commands" };

const readsJournal = (program: DocumentProgram): boolean =>
  program.kind === "commands" &&
  program.commands.some((words) => words.includes("@last")) &&
  !program.commands.some(([verb]) => verb === "run");

/** A folder with the examples, in which programs find the packages as in a clone; its journal is its own. */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "segno-documents-"));
  for (const name of ["examples", "node_modules"]) symlinkSync(join(ROOT, name), join(folder, name));
  return folder;
}

async function checkProgram(program: DocumentProgram & { kind: "program" }, folder: string): Promise<void> {
  expect(readText(program.file)).toBe(program.source);
  const run = await runNode([program.file], { folder });
  expectRun(run, program.where, 0);
  if (program.prints !== null) expect(run.stdout).toBe(program.prints);
}

async function checkCommands(program: DocumentCommands, folder: string): Promise<void> {
  let printed = "";
  for (const words of program.commands) {
    const run = await runNode([COMMAND, ...words], { folder });
    expectRun(run, words.join(" "), program.exitCode);
    printed += program.exitCode === 0 ? run.stdout : run.stderr;
  }
  if (program.prints !== null) expect(printed).toBe(program.prints);
}

function expectRun(run: ToolRun, what: string, exitCode: number): void {
  expect(run.exitCode, `${what}\n${run.stdout}${run.stderr}`).toBe(exitCode);
}

describe("the convention for programs in documents", () => {
  it("takes a marked ts block with the text block behind it", () => {
    const markdown =
      "```ts\n// examples/a.ts\nconsole.log(1);\n```\n\nprints\n\n```text\n1\n```\n\n```ts\nlet other;\n```\n";
    expect(documentPrograms("a.md", markdown)).toEqual([
      {
        kind: "program",
        where: "a.md:1",
        file: "examples/a.ts",
        source: "// examples/a.ts\nconsole.log(1);\n",
        prints: "1\n",
      },
    ]);
  });

  it("takes the commands of npx segno, also behind npm ci, and leaves the others alone", () => {
    const markdown = "```sh exit=3\n$ npm ci && npx segno plan a.yaml\n$ npm test\n$ npx segno validate b.yaml\n```\n";
    expect(documentPrograms("a.md", markdown)).toEqual([
      {
        kind: "commands",
        where: "a.md:1",
        commands: [
          ["plan", "a.yaml"],
          ["validate", "b.yaml"],
        ],
        exitCode: 3,
        prints: null,
      },
    ]);
  });

  it("splits words as a shell does", () => {
    expect(splitWords(`npx segno plan 'a b.yaml' --input '{"tag":"v1"}' x="y z" # why`)).toEqual([
      "npx",
      "segno",
      "plan",
      "a b.yaml",
      "--input",
      '{"tag":"v1"}',
      "x=y z",
    ]);
  });
});
