// Finds the kind of word at the cursor of a command line, from the declarations of the commands.
//   P1. This file knows no command by name. Commands, options and choices come from commander, and the name of an argument
//       tells its kind: `<id>` is an execution, `[step]` a step of it, `<file>` a file.
//   P2. Commands and options that are hidden from help are hidden here.

import type { Argument, Command, Option } from "commander";

/** The kinds of values that can be completed. */
export type ValueKind = "execution" | "step" | "file" | "folder" | "code";

export type CursorPosition =
  | { readonly kind: "verb"; readonly command: Command }
  | { readonly kind: "option"; readonly command: Command; readonly used: ReadonlySet<Option> }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "value"; readonly value: ValueKind; readonly given: Given }
  | { readonly kind: "unknown" };

/** The words before the cursor, as far as they matter for completion. */
export interface Given {
  readonly arguments: readonly string[];
  /** The value of `--db`. */
  readonly db: string | undefined;
}

export interface Located {
  readonly place: CursorPosition;
  /** The typed part of the word. */
  readonly typed: string;
  /** The part of the word before the value: `--format=`. */
  readonly prefix: string;
}

const ARGUMENTS: Readonly<Record<string, ValueKind>> = {
  id: "execution",
  step: "step",
  file: "file",
  folder: "folder",
  code: "code",
};

/** Only paths: the value of `--id` is a new id. */
const OPTION_VALUES: Readonly<Record<string, ValueKind>> = { file: "file", folder: "folder" };

/** `words` follow the name of the command; the last one is being typed. */
export function locate(program: Command, words: readonly string[]): Located {
  const walk = new Walk(program);
  for (const word of words.slice(0, -1)) walk.take(word);
  return walk.locate(words.at(-1) ?? "");
}

class Walk {
  #command: Command;
  readonly #arguments: string[] = [];
  readonly #used = new Set<Option>();
  /** The option whose value is the next word. */
  #pending: Option | undefined;
  #isOnlyArguments = false;
  #db: string | undefined;

  constructor(program: Command) {
    this.#command = program;
  }

  take(word: string): void {
    if (this.#pending !== undefined) this.#takeValue(this.#pending, word);
    else if (this.#isOnlyArguments || !word.startsWith("-") || word === "-") this.#takeArgument(word);
    else if (word === "--") this.#isOnlyArguments = true;
    else this.#takeOption(word);
  }

  locate(typed: string): Located {
    if (this.#pending !== undefined) return { place: this.#optionValue(this.#pending), typed, prefix: "" };
    if (this.#isOnlyArguments || !typed.startsWith("-")) return { place: this.#next(), typed, prefix: "" };
    const [flag, value] = halves(typed);
    const option = value === undefined ? undefined : this.#optionNamed(flag);
    if (option !== undefined) return { place: this.#optionValue(option), typed: value!, prefix: `${flag}=` };
    return { place: { kind: "option", command: this.#command, used: this.#used }, typed, prefix: "" };
  }

  #takeOption(word: string): void {
    const [flag, value] = halves(word);
    const option = this.#optionNamed(flag);
    if (option === undefined) return;
    this.#used.add(option);
    if (value !== undefined) this.#takeValue(option, value);
    else if (option.required) this.#pending = option;
  }

  #takeValue(option: Option, value: string): void {
    if (option.long === "--db") this.#db = value;
    this.#pending = undefined;
  }

  #takeArgument(word: string): void {
    const verb = this.#command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (verb === undefined || this.#arguments.length > 0) this.#arguments.push(word);
    else this.#command = verb;
  }

  #optionNamed(flag: string): Option | undefined {
    for (let command: Command | null = this.#command; command !== null; command = command.parent) {
      const option = command.options.find(({ short, long }) => flag === short || flag === long);
      if (option !== undefined) return option;
    }
    return undefined;
  }

  #next(): CursorPosition {
    if (this.#command.commands.length > 0) return this.#verb();
    const declared = this.#command.registeredArguments;
    const last = declared.at(-1);
    const argument = declared[this.#arguments.length] ?? (last?.variadic === true ? last : undefined);
    return argument === undefined ? { kind: "unknown" } : this.#argument(argument);
  }

  #verb(): CursorPosition {
    return this.#arguments.length === 0 ? { kind: "verb", command: this.#command } : { kind: "unknown" };
  }

  #argument(argument: Argument): CursorPosition {
    return this.#wantedValue(argument.argChoices, ARGUMENTS[argument.name()]);
  }

  #optionValue(option: Option): CursorPosition {
    const [, name = ""] = /[<[]([^>\].]+)/u.exec(option.flags) ?? [];
    return this.#wantedValue(option.argChoices, OPTION_VALUES[name]);
  }

  #wantedValue(choices: readonly string[] | undefined, value: ValueKind | undefined): CursorPosition {
    if (choices !== undefined) return { kind: "choice", choices };
    if (value === undefined) return { kind: "unknown" };
    return { kind: "value", value, given: { arguments: this.#arguments, db: this.#db } };
  }
}

function halves(word: string): readonly [flag: string, value: string | undefined] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
