// `segno complete`: the scripts of `segno completions` call it while the user types. On errors it prints nothing: a message
// would appear in the line that the user types.

import type { Candidates } from "../completion/candidates.ts";
import { EXIT_CODES, type ExitCode } from "../errors/exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CommandRegistry } from "./command-registry.ts";

interface CompleteOptions {
  /** The text after the command's name, as it was typed; given instead of words. */
  readonly line?: string;
}

/** Hidden from help: scripts call it, people do not. */
export function addComplete(registry: CommandRegistry): void {
  registry.program
    .command("complete", { hidden: true })
    .argument("[words...]", "the words after the command's name")
    .option("--line <text>", "the same as one text")
    .action(
      registry.handler((words: readonly string[], options: CompleteOptions, terminal: Terminal) =>
        complete(registry, words, options, terminal),
      ),
    );
}

async function complete(
  registry: CommandRegistry,
  words: readonly string[],
  { line }: CompleteOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const candidates = await findCandidates(registry, words, line).catch((): Candidates => ({ words: [] }));
  terminal.print(formatCandidates(candidates));
  return EXIT_CODES.ok;
}

async function findCandidates(
  { program }: CommandRegistry,
  words: readonly string[],
  line: string | undefined,
): Promise<Candidates> {
  const { candidatesAt } = await import("../completion/candidates.ts");
  const { locate } = await import("../completion/cursor-position.ts");
  const { lineWords } = await import("../completion/line-words.ts");
  return candidatesAt(locate(program, line === undefined ? words : lineWords(line)));
}

function formatCandidates({ words, from }: Candidates): string {
  const lines = words.map(({ word, about }) => `${word}\t${about}\n`);
  return lines.join("") + (from === undefined ? "" : `:${from}\n`);
}
