// Adds commands to the program. Each file of this folder holds one command: its options and its handler.
//
//   R1. These files import only small modules. A handler imports the engine, and everything that needs it, when it runs:
//       `--help` and completion need only the names and options.

import { Option, type Command } from "commander";

import type { ExitCode } from "../errors/exit-code.ts";
import type { ColorChoice } from "../terminal/color.ts";
import { createTerminal, type Terminal } from "../terminal/terminal.ts";

/** Holds the exit code of the command that ran. */
export interface ExitState {
  code: ExitCode;
}

export interface CommonOptions {
  readonly color: ColorChoice;
}

/** Gets the arguments, the options and the terminal. */
type CommandHandler<Given extends unknown[]> = (...given: [...Given, Terminal]) => Promise<ExitCode>;

/** The help text of the argument `<id>`. */
export const ID_HELP = "the id of an execution, a prefix of the id, or @last";

/** The help text of the argument `<file>`. */
export const FILE_HELP =
  "a contract, in YAML or JSON, or a module with a workflow: file.ts, file.ts#export; - reads standard input";

/** The help text of the option `--secrets`. */
export const SECRETS_HELP =
  "a file with lines NAME=value, or a folder with a file for each secret; searched before the environment";

export class CommandRegistry {
  readonly program: Command;
  readonly #exitState: ExitState;

  constructor(program: Command, exitState: ExitState) {
    this.program = program;
    this.#exitState = exitState;
  }

  /** Commands added after this call appear under this heading. */
  group(heading: string): void {
    this.program.commandsGroup(heading);
  }

  add(name: string, examples: readonly string[], parent: Command = this.program): Command {
    const path = parent === this.program ? name : `${parent.name()} ${name}`;
    return parent
      .command(name)
      .helpOption("-h, --help", "show help")
      .addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`)
      .showHelpAfterError(`segno ${path} --help shows the usage.`);
  }

  /** Wraps a handler for commander, which passes the command itself as the last argument. */
  handler<Given extends unknown[]>(handle: CommandHandler<Given>): (...given: [...Given, Command]) => Promise<void> {
    return async (...given) => {
      const words = given.slice(0, -1) as Given;
      this.#exitState.code = await handle(...words, createTerminal(this.program.opts<CommonOptions>().color));
    };
  }
}

export function databaseOption(): Option {
  return new Option("--db <file>", "the journal (default: .segno/segno.db)");
}

/** For commands that can ask a server instead of opening a journal. `SEGNO_URL` is a default, so `--db` outweighs it. */
export function serverOption(): Option {
  const usual = process.env["SEGNO_URL"];
  const option = new Option("--url <url>", "ask a server, with the token in SEGNO_TOKEN").conflicts("db");
  // Commander shows a default only if there is one.
  if (usual === undefined || usual === "") option.description += " (default: SEGNO_URL)";
  else option.default(usual, "SEGNO_URL");
  return option;
}

export function jsonOption(what: string): Option {
  return new Option("--json", `print ${what} as JSON`);
}

export function jsonlOption(): Option {
  return new Option("--jsonl", "print each event as a line of JSON when it happens");
}

export function quietOption(): Option {
  return new Option("-q, --quiet", "do not show the output of steps");
}
