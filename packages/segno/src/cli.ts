// The command line
//
// Job: parses the words of a command line, runs the command, and sets the exit code. Each command has a file in `commands/`
// with its options and its handler.
//
//   C1. Results go to stdout, diagnostics to stderr.
//   C2. The exit code tells the outcome (exit-code.ts). A stack trace is shown only with SEGNO_DEBUG.
//   C3. Text from documents and arguments is escaped before it reaches a terminal.
//   C4. Sockets and timers that agents leave open do not keep the process alive, nor does a thread inside a call of the system
//       (process-exit.ts).

import { Command, CommanderError, Option } from "commander";

import { addApprove } from "./commands/approve.ts";
import { addArtifact } from "./commands/artifact.ts";
import { addCode } from "./commands/code.ts";
import { addCancel } from "./commands/cancel.ts";
import { CommandRegistry, type CommonOptions, type ExitState } from "./commands/command-registry.ts";
import { addComplete } from "./commands/complete.ts";
import { addCompletions } from "./commands/completions.ts";
import { addDb } from "./commands/db.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addExplain } from "./commands/explain.ts";
import { addGraph } from "./commands/graph.ts";
import { addInit } from "./commands/init.ts";
import { addList } from "./commands/list.ts";
import { addLogs } from "./commands/logs.ts";
import { addPause } from "./commands/pause.ts";
import { addPlan } from "./commands/plan.ts";
import { addReject } from "./commands/reject.ts";
import { addResume } from "./commands/resume.ts";
import { addRetry } from "./commands/retry.ts";
import { addRm } from "./commands/rm.ts";
import { addRun } from "./commands/run.ts";
import { addServe } from "./commands/serve.ts";
import { addShow } from "./commands/show.ts";
import { addSignal } from "./commands/signal.ts";
import { addToken } from "./commands/token.ts";
import { addValidate } from "./commands/validate.ts";
import { addWatch } from "./commands/watch.ts";
import { addWhy } from "./commands/why.ts";
import { addWork } from "./commands/work.ts";
import { EXIT_CODES, exitCodeOfError, type ExitCode } from "./errors/exit-code.ts";
import { COLOR_CHOICES, wantsColor } from "./terminal/color.ts";
import { createPalette } from "./terminal/palette.ts";
import { exitProcess, trackThreads } from "./terminal/process-exit.ts";
import { safeLines } from "./terminal/safe-text.ts";
import { exitOnBrokenPipe, streamError } from "./terminal/terminal.ts";
import { UsageError } from "./errors/usage-error.ts";

export async function runCommand(words: readonly string[], version: string): Promise<void> {
  trackThreads();
  exitOnBrokenPipe([process.stdout, process.stderr]);
  process.once("exit", failWhenResultIsLost);
  process.exitCode = await parseAndRun(words, version);
  process.once("beforeExit", () => exitProcess());
  exitWhenWritten();
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

/** Runs at the exit of the process, because a stream may report a failed write late. */
function failWhenResultIsLost(): void {
  const loss = streamError(process.stdout);
  if (loss === undefined) return;
  process.stderr.write(`segno: FILE_UNWRITABLE the result could not be written to stdout (${loss.message})\n`);
  if (process.exitCode === EXIT_CODES.ok) process.exitCode = exitCodeOfError("FILE_UNWRITABLE");
}

const EXIT_POLL_MS = 200;

/** Ends a process that open sockets or timers keep alive (C4). The timer itself does not keep it alive. */
function exitWhenWritten(): void {
  setTimeout(() => {
    if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) exitProcess();
    exitWhenWritten();
  }, EXIT_POLL_MS).unref();
}

const EXAMPLES = `
Examples:
  segno run release.yaml --input '{"tag":"v1"}'
  segno list --status failed
  segno logs @last test --follow
  segno plan release.yaml --input @input.json --json
  segno graph release.yaml --format svg > release.svg

Exit codes:
  0    success
  1    an execution failed, was cancelled or is parked, or a check found damage
  2    the command line is invalid, or an id matches several executions
  3    a contract or its input is invalid, or a file cannot be read
  5    there is no such execution, step, code or journal
  6    the execution has ended, the file or id exists, or another process owns the journal
  7    the store cannot be opened, read or written
  124  the execution exceeded its timeout
  129  the terminal was closed; segno work resumes the execution
  130  interrupted by Ctrl-C
  131  ended by SIGQUIT; segno work resumes the execution
  143  ended by SIGTERM`;

/** The commands in the order of the help text, under their headings. */
const COMMANDS: readonly (readonly [heading: string, adders: readonly ((registry: CommandRegistry) => void)[]])[] = [
  ["Run:", [addRun, addWork, addRetry]],
  ["Server:", [addServe, addToken]],
  ["Coding agents:", [addCode]],
  ["Inspect:", [addList, addShow, addLogs, addArtifact, addWatch, addWhy]],
  ["Control:", [addCancel, addPause, addResume, addSignal, addApprove, addReject]],
  ["Contracts (without running anything):", [addValidate, addPlan, addGraph]],
  ["Maintain:", [addRm, addDb, addExplain]],
  ["Set up:", [addInit, addDoctor, addCompletions, addComplete]],
];

/** The whole command line: the program and all its commands. The reference of the command is made from it. */
export function createCommand(version: string, exitState: ExitState): Command {
  const program = new Command("segno")
    .description("Durable, deterministic workflows: check a contract, run it, inspect it, resume it after a crash.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .addOption(new Option("--color <when>", "when to use colours").choices(COLOR_CHOICES).default("auto"))
    .addHelpText("after", EXAMPLES)
    .exitOverride();
  styleHelp(program);
  const registry = new CommandRegistry(program, exitState);
  for (const [heading, adders] of COMMANDS) {
    registry.group(heading);
    for (const add of adders) add(registry);
  }
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
  // Commander strips the colours from output that should have none.
  program.configureHelp({ showGlobalOptions: true, styleTitle: (title) => createPalette(true).title(title) });
}

async function explain(error: unknown): Promise<ExitCode> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  if (error instanceof UsageError) {
    process.stderr.write(`segno: ${safeLines(error.message)}\n`);
    return EXIT_CODES.usage;
  }
  const { isSegnoError } = await import("./errors/segno-error.ts");
  if (isSegnoError(error)) {
    process.stderr.write(`segno: ${error.code} ${safeLines(error.message)}\n`);
    return exitCodeOfError(error.code);
  }
  process.stderr.write(`segno: this is a bug in Segno: ${safeLines(bugText(error))}\n`);
  return EXIT_CODES.bug;
}

function bugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (process.env["SEGNO_DEBUG"] !== undefined) return error.stack ?? error.message;
  return `${error.message}\nPlease report it, with the contract. SEGNO_DEBUG=1 shows the stack trace.`;
}
