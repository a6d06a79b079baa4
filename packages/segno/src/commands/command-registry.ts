// How verbs are added to the command. A verb is loaded when it is called, so that `--help` stays fast.

import { Option, type Command } from "commander";

import type { ExitCode } from "../exit-code.ts";
import type { ColorChoice } from "../terminal/color.ts";
import { createTerminal, type Terminal } from "../terminal/terminal.ts";

/** Filled in by the verb that ran. */
export interface ExitState {
  code: ExitCode;
}

export interface CommonOptions {
  readonly color: ColorChoice;
}

/** Gets the arguments, the options, and where to write. */
type CommandHandler<Given extends unknown[]> = (...given: [...Given, Terminal]) => Promise<ExitCode>;

export class CommandRegistry {
  readonly #program: Command;
  readonly #exitState: ExitState;

  constructor(program: Command, exitState: ExitState) {
    this.#program = program;
    this.#exitState = exitState;
  }

  /** The commands that are added from now on stand under this heading. */
  group(heading: string): void {
    this.#program.commandsGroup(heading);
  }

  add(name: string, examples: readonly string[], parent: Command = this.#program): Command {
    const path = parent === this.#program ? name : `${parent.name()} ${name}`;
    return parent
      .command(name)
      .helpOption("-h, --help", "show help")
      .addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`)
      .showHelpAfterError(`segno ${path} --help shows how it is used.`);
  }

  /** What commander calls: it gives the command itself last, which no verb needs. */
  handler<Given extends unknown[]>(
    load: () => Promise<CommandHandler<Given>>,
  ): (...given: [...Given, Command]) => Promise<void> {
    return async (...given) => {
      const run = await load();
      const words = given.slice(0, -1) as Given;
      this.#exitState.code = await run(...words, createTerminal(this.#program.opts<CommonOptions>().color));
    };
  }
}

export function databaseOption(): Option {
  return new Option("--db <file>", "the journal (default: .segno/segno.db)");
}

export function jsonOption(what: string): Option {
  return new Option("--json", `print ${what} as JSON`);
}

export function quietOption(): Option {
  return new Option("-q, --quiet", "leave out what steps write");
}
