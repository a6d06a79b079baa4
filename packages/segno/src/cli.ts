// The command
//
// Job: words of a command line in, an exit code out. The verbs and their options stand in `commands/`; what a verb does
// stands in its own file and is loaded when it is asked for, so that `--help` stays fast.
//
//   C1. Results go to stdout, diagnostics to stderr.
//   C2. The exit code says what happened (exit-code.ts); no stack trace is shown unless it is asked for.
//   C3. What a document or an argument says is made safe before a terminal sees it.
//   C4. What agents leave behind, an open socket or a timer, does not keep the command from ending.

import { Command, CommanderError, Option } from "commander";

import { addContractCommands } from "./commands/contract-commands.ts";
import { addExecutionCommands } from "./commands/execution-commands.ts";
import { addJournalCommands } from "./commands/journal-commands.ts";
import { CommandRegistry, type CommonOptions, type ExitState } from "./commands/command-registry.ts";
import { addRunCommands } from "./commands/run-commands.ts";
import { addSetUpCommands } from "./commands/set-up-commands.ts";
import { EXIT_CODES, exitCodeOfError, type ExitCode } from "./exit-code.ts";
import { COLOR_CHOICES, wantsColor } from "./terminal/color.ts";
import { createPalette } from "./terminal/palette.ts";
import { safeLines } from "./terminal/safe-text.ts";
import { exitOnBrokenPipe, streamError } from "./terminal/terminal.ts";
import { UsageError } from "./usage-error.ts";

export async function runCommand(words: readonly string[], version: string): Promise<void> {
  exitOnBrokenPipe([process.stdout, process.stderr]);
  process.once("exit", failWhenResultIsLost);
  process.exitCode = await parseAndRun(words, version);
  endWhenAllIsWritten();
}

async function parseAndRun(words: readonly string[], version: string): Promise<ExitCode> {
  const exitState: ExitState = { code: EXIT_CODES.ok };
  try {
    await createCommand(version, exitState).parseAsync(words, { from: "user" });
    return exitState.code;
  } catch (error) {
    return await explain(error);
  }
}

/** The last thing that happens: a stream says late that it could not write. */
function failWhenResultIsLost(): void {
  const loss = streamError(process.stdout);
  if (loss === undefined) return;
  process.stderr.write(`segno: FILE_UNWRITABLE the result could not be written to stdout (${loss.message})\n`);
  if (process.exitCode === EXIT_CODES.ok) process.exitCode = exitCodeOfError("FILE_UNWRITABLE");
}

const LEFT_BEHIND_MS = 200;

/** Does not hold the process itself: where nothing was left behind it ends before this rings (C4). */
function endWhenAllIsWritten(): void {
  setTimeout(() => {
    if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
    endWhenAllIsWritten();
  }, LEFT_BEHIND_MS).unref();
}

const EXAMPLES = `
Examples:
  segno run release.yaml --input '{"tag":"v1"}'
  segno list --status failed
  segno logs @last test --follow
  segno plan release.yaml --input @input.json --json
  segno graph release.yaml --format svg > release.svg

Exit codes:
  0    all is well
  1    an execution failed or was cancelled, or a check found damage
  2    the command line is wrong, or an id fits more than one execution
  3    a contract or its input is invalid, or a file cannot be read
  5    there is no such execution, step, code or journal
  6    it has ended already, is there already, or belongs to another process
  7    the store cannot be opened, read or written
  124  the execution took longer than it may
  129  the terminal was closed; the execution goes on with segno work
  130  Ctrl-C
  131  SIGQUIT; the execution goes on with segno work
  143  SIGTERM`;

function createCommand(version: string, exitState: ExitState): Command {
  const program = new Command("segno")
    .description("Durable, deterministic workflows: check a contract, run it, see what it does, go on after a crash.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .addOption(new Option("--color <when>", "use colours").choices(COLOR_CHOICES).default("auto"))
    .addHelpText("after", EXAMPLES)
    .exitOverride();
  styleHelp(program);
  const registry = new CommandRegistry(program, exitState);
  addRunCommands(registry);
  addExecutionCommands(registry);
  addContractCommands(registry);
  addJournalCommands(registry);
  addSetUpCommands(registry);
  return program;
}

function styleHelp(program: Command): void {
  const inColor = (isTerminal: boolean): boolean =>
    wantsColor({ choice: program.opts<CommonOptions>().color, environment: process.env, isTerminal });
  program.configureOutput({
    getOutHasColors: () => inColor(process.stdout.isTTY),
    getErrHasColors: () => inColor(process.stderr.isTTY),
    outputError: (text, write) => write(safeLines(text.replace(/^error: /u, "segno: "))),
  });
  // Commander takes the colours out again where there should be none.
  program.configureHelp({ showGlobalOptions: true, styleTitle: (title) => createPalette(true).title(title) });
}

async function explain(error: unknown): Promise<ExitCode> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  if (error instanceof UsageError) {
    process.stderr.write(`segno: ${safeLines(error.message)}\n`);
    return EXIT_CODES.usage;
  }
  const { SegnoError } = await import("@segno/kernel");
  if (error instanceof SegnoError) {
    process.stderr.write(`segno: ${error.code} ${safeLines(error.message)}\n`);
    return exitCodeOfError(error.code);
  }
  process.stderr.write(`segno: this is a bug in Segno: ${safeLines(bugText(error))}\n`);
  return EXIT_CODES.bug;
}

function bugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (process.env["SEGNO_DEBUG"] !== undefined) return error.stack ?? error.message;
  return `${error.message}\nPlease report it, with the contract. SEGNO_DEBUG=1 shows where it happened.`;
}
