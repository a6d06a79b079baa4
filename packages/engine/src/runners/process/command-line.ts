// Builds a command line, of a `run` or `exec` step or of a process that an agent owns: program, arguments and environment
// variables.
//
//   CL1. Only actions of the kinds `run` and `exec` become commands (`runners.ts`).

import { invariant, type Json } from "@segno/kernel";
import { describeKind } from "@segno/kernel/describe-value";
import type { Attempt } from "../runner.ts";
import { childEnv, type ChildEnv, type ProcessEnv } from "./child-env.ts";
import { scalarText } from "./scalar-text.ts";

export interface CommandLine {
  readonly kind: "command";
  readonly file: string;
  readonly args: readonly string[];
  readonly env: ProcessEnv;
}

export interface InvalidCommand {
  readonly kind: "invalid";
  readonly message: string;
}

/** An absolute path, so that a step may set `PATH` freely. */
const SHELL = process.platform === "win32" ? "sh" : "/bin/sh";

type Words = { readonly kind: "words"; readonly words: readonly string[] } | InvalidCommand;

export function toCommandLine(attempt: Attempt, inherited: ProcessEnv, marker: string): CommandLine | InvalidCommand {
  const command = toWords(attempt);
  if (command.kind === "invalid") return command;
  return withEnv(
    command.words,
    childEnv({ inherited, attempt, marker, variables: attempt.renderedAction().env ?? {} }),
  );
}

/** The command line of a program that an agent starts. */
export function toProgramLine(argv: readonly Json[], env: ChildEnv): CommandLine | InvalidCommand {
  const program = argumentWords(argv, "`argv`");
  return program.kind === "invalid" ? program : withEnv(program.words, env);
}

function withEnv([file, ...args]: readonly string[], child: ChildEnv): CommandLine | InvalidCommand {
  return child.kind === "invalid" ? child : { kind: "command", file: file!, args, env: child.env };
}

function toWords(attempt: Attempt): Words {
  const { action } = attempt;
  if (action.kind === "run") return scriptWords(action.script);
  invariant(action.kind === "exec", "CL1", `an action of the kind \`${action.kind}\` cannot run as a process`);
  return argumentWords(attempt.renderedAction().argv ?? [], "`exec`");
}

/** `-e`: the first failing command ends the script. `--`: a script that begins with a hyphen is not an option. */
function scriptWords(script: string): Words {
  if (script.includes("\0")) return invalid("the script holds a NUL character");
  return { kind: "words", words: [SHELL, "-e", "-c", "--", script] };
}

/** `source` is where the arguments come from, for messages. */
function argumentWords(argv: readonly Json[], source: string): Words {
  if (argv.length === 0 || argv[0] === "") return invalid(`${source} has no program`);
  const words: string[] = [];
  for (const [index, word] of argv.entries()) {
    const text = scalarText(word);
    if (text === undefined) return invalid(`${describePosition(index, source)} is ${describeKind(word)}, not text`);
    if (text.includes("\0")) return invalid(`${describePosition(index, source)} holds a NUL character`);
    words.push(text);
  }
  return { kind: "words", words };
}

/** The message never contains the value, which may be a secret. */
function invalid(message: string): InvalidCommand {
  return { kind: "invalid", message };
}

function describePosition(index: number, source: string): string {
  return index === 0 ? `the program of ${source}` : `argument ${index} of ${source}`;
}
