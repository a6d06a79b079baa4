// The programs and commands that documents show, and what they are said to print.
//
// The convention (CONTRIBUTING.md tells it to people):
// 1. A `ts` block whose first line is `// examples/….ts` is that file, and the file is run.
// 2. In an `sh` block, lines that begin with `$ ` are commands. Those of `npx segno` are run, also behind `npm ci &&`.
// 3. A `text` block that comes next among the blocks is what the program or the commands print, to the letter.
// 4. `sh exit=3` says that the commands end with 3; the `text` block is then what they print as diagnostics.

import { type FencedBlock, fencedBlocks } from "./markdown.ts";
import { filesUnder, readText } from "./repository.ts";

export type DocumentProgram =
  | {
      readonly kind: "program";
      readonly where: string;
      readonly file: string;
      readonly source: string;
      readonly prints: string | null;
    }
  | {
      readonly kind: "commands";
      readonly where: string;
      /** The arguments behind `npx segno`, a list for each command. */
      readonly commands: readonly (readonly string[])[];
      readonly exitCode: number;
      readonly prints: string | null;
    };

const PROGRAM_MARK = /^\/\/ (examples\/[\w./-]+\.ts)$/u;

/** The programs of the README and of all documents. */
export function shownPrograms(): readonly DocumentProgram[] {
  const documents = ["README.md", ...filesUnder("docs").filter((file) => file.endsWith(".md"))];
  return documents.flatMap((document) => documentPrograms(document, readText(document)));
}

export function documentPrograms(document: string, markdown: string): DocumentProgram[] {
  const blocks = fencedBlocks(markdown);
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    const prints = next?.info === "text" ? next.text : null;
    const found = asProgram(document, block, prints) ?? asCommands(document, block, prints);
    return found === null ? [] : [found];
  });
}

function asProgram(document: string, block: FencedBlock, prints: string | null): DocumentProgram | null {
  const mark = block.info === "ts" ? PROGRAM_MARK.exec(block.text.split("\n", 1)[0]!) : null;
  if (mark === null) return null;
  return { kind: "program", where: `${document}:${block.line}`, file: mark[1]!, source: block.text, prints };
}

function asCommands(document: string, block: FencedBlock, prints: string | null): DocumentProgram | null {
  const shell = /^sh(?: exit=(\d+))?$/u.exec(block.info);
  if (shell === null) return null;
  const commands = block.text
    .split("\n")
    .filter((line) => line.startsWith("$ "))
    .flatMap((line) => segnoArguments(line.slice(2)));
  if (commands.length === 0) return null;
  return { kind: "commands", where: `${document}:${block.line}`, commands, exitCode: Number(shell[1] ?? 0), prints };
}

/** `npm ci && npx segno plan x.yaml` gives one command; `git status` none. */
function segnoArguments(line: string): string[][] {
  return line
    .split(" && ")
    .map(splitWords)
    .filter((words) => words[0] === "npx" && words[1] === "segno")
    .map((words) => words.slice(2));
}

/** Words as a shell would see them: quotes of both kinds, no expansion. A comment ends the line. */
export function splitWords(line: string): string[] {
  const words = line.matchAll(/(?<=^|\s)#.*$|(?:[^\s"']|"[^"]*"|'[^']*')+/gu);
  return [...words]
    .map(([word]) => word)
    .filter((word) => !word.startsWith("#"))
    .map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/gu, "$1$2"));
}
