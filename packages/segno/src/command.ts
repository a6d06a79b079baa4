// The command
//
// Job: words of a command line in, an exit code out. It knows the verbs and their options; what a verb does stands in
// its own file and is loaded when it is asked for, so that `--help` stays fast.
//
//   C1. Results go to stdout, diagnostics to stderr.
//   C2. The exit code says what happened (exit-code.ts); no stack trace is shown unless it is asked for.
//   C3. What a document or an argument says is made safe before a terminal sees it.

import { Command, CommanderError, Option } from "commander";

import { EXIT_CODES, type ExitCode } from "./exit-code.ts";
import { GRAPH_FORMATS, type GraphFormat } from "./graph/graph-format.ts";
import { COLOR_CHOICES, type ColorChoice, wantsColor } from "./terminal/color.ts";
import { createPalette } from "./terminal/palette.ts";
import { safeLines } from "./terminal/safe-text.ts";
import { createTerminal, endQuietlyWhenNobodyReads, type Terminal } from "./terminal/terminal.ts";
import { UsageError } from "./usage-error.ts";

export async function runCommand(words: readonly string[], version: string): Promise<void> {
  endQuietlyWhenNobodyReads([process.stdout, process.stderr]);
  process.exitCode = await exitCodeOf(words, version);
}

async function exitCodeOf(words: readonly string[], version: string): Promise<ExitCode> {
  const ending: Ending = { code: EXIT_CODES.ok };
  try {
    await createCommand(version, ending).parseAsync(words, { from: "user" });
    return ending.code;
  } catch (error) {
    return await explain(error);
  }
}

/** Filled in by the verb that ran. */
interface Ending {
  code: ExitCode;
}

interface CommonOptions {
  readonly color: ColorChoice;
}

type Verb<Argument, Options> = (argument: Argument, options: Options, terminal: Terminal) => Promise<ExitCode>;

const EXAMPLES = `
Examples:
  segno validate workflows/*.yaml
  segno plan release.yaml --input '{"tag":"v1"}'
  segno plan release.yaml --input @input.json --json
  segno graph release.yaml --format svg > release.svg
  generate-workflow | segno validate -

Exit codes:
  0   all is well
  2   the command line is wrong
  3   a contract or its input is invalid, or a file cannot be read

Nothing that a contract names is run by these commands.`;

function createCommand(version: string, ending: Ending): Command {
  const program = new Command("segno")
    .description("Durable, deterministic workflows: check a contract, see its plan, draw its graph.")
    .usage("<command> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .addOption(new Option("--color <when>", "use colours").choices(COLOR_CHOICES).default("auto"))
    .addHelpText("after", EXAMPLES)
    .exitOverride();
  styleHelp(program);
  addVerbs(program, ending);
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

function addVerbs(program: Command, ending: Ending): void {
  /** Loads a verb when it is called, and keeps how it ended. */
  const verb =
    <Argument, Options extends object>(load: () => Promise<Verb<Argument, Options>>) =>
    async (argument: Argument, options: Options): Promise<void> => {
      const run = await load();
      ending.code = await run(argument, options, createTerminal(program.opts<CommonOptions>().color));
    };

  subcommand(program, "validate")
    .description("check contracts and show every problem with its place")
    .argument("<file...>", "contracts, in YAML or JSON; - reads standard input")
    .option("--json", "print the findings as JSON")
    .action(verb(async () => (await import("./verbs/validate.ts")).validate));

  subcommand(program, "plan")
    .description("show the steps wave by wave: what each needs, what it does, what would be skipped")
    .argument("<file>", "a contract, in YAML or JSON; - reads standard input")
    .option("--input <json>", "the input as JSON, or @file; conditions that it decides are decided")
    .option("--json", "print the plan as JSON")
    .addHelpText(
      "after",
      `\nExamples:\n  segno plan release.yaml\n  segno plan release.yaml --input '{"tag":"v1"}'\n  segno plan release.yaml --input @input.json --json`,
    )
    .action(verb(async () => (await import("./verbs/plan.ts")).plan));

  subcommand(program, "graph")
    .description("draw the steps and their dependencies")
    .argument("<file>", "a contract, in YAML or JSON; - reads standard input")
    .addOption(formatOption())
    .addHelpText(
      "after",
      "\nExamples:\n  segno graph release.yaml > release.mmd\n  segno graph release.yaml --format svg > release.svg\n  segno graph release.yaml --format dot | dot -Tpng > release.png",
    )
    .action(verb(async () => (await import("./verbs/graph.ts")).graph));
}

function formatOption(): Option {
  const standard: GraphFormat = "mermaid";
  return new Option("-f, --format <format>", "how to draw it").choices(GRAPH_FORMATS).default(standard);
}

function subcommand(program: Command, name: string): Command {
  return program
    .command(name)
    .helpOption("-h, --help", "show help")
    .showHelpAfterError(`segno ${name} --help shows how it is used.`);
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
    return EXIT_CODES.invalid;
  }
  process.stderr.write(`segno: this is a bug in Segno: ${safeLines(bugText(error))}\n`);
  return EXIT_CODES.bug;
}

function bugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (process.env["SEGNO_DEBUG"] !== undefined) return error.stack ?? error.message;
  return `${error.message}\nPlease report it, with the contract. SEGNO_DEBUG=1 shows where it happened.`;
}
