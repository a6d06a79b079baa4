// `segno complete`: what a script of `segno completions` asks while somebody types. Where it knows nothing it says nothing:
// an error in the middle of a line that is being typed helps nobody.

import type { Command } from "commander";

import { candidatesAt, type Candidates } from "../completion/candidates.ts";
import { lineWords } from "../completion/line-words.ts";
import { locate } from "../completion/cursor-position.ts";
import { EXIT_CODES, type ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface CompleteOptions {
  /** Instead of words: what stands behind the command's name, as it was typed. */
  readonly line?: string;
}

type Complete = (words: readonly string[], options: CompleteOptions, terminal: Terminal) => Promise<ExitCode>;

/** What can be completed is what the program itself has. */
export function completeFor(program: Command): Complete {
  return async (words, { line }, terminal) => {
    const candidates = await quietly(() => candidatesAt(locate(program, line === undefined ? words : lineWords(line))));
    terminal.print(formatCandidates(candidates));
    return EXIT_CODES.ok;
  };
}

async function quietly(look: () => Promise<Candidates>): Promise<Candidates> {
  try {
    return await look();
  } catch {
    return { words: [] };
  }
}

function formatCandidates({ words, from }: Candidates): string {
  const lines = words.map(({ word, about }) => `${word}\t${about}\n`);
  return lines.join("") + (from === undefined ? "" : `:${from}\n`);
}
