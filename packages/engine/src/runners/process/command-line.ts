// Builds the command line of a `run` or `exec` step: program, arguments and environment variables.
//
//   CL1. Only actions of the kinds `run` and `exec` become processes (`runners.ts`).

import { invariant, type Json } from "@segno/kernel";
import { describeKind } from "@segno/kernel/describe-value";
import type { Attempt } from "../runner.ts";
import { childEnv, type ProcessEnv } from "./child-env.ts";
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
  const child = childEnv(inherited, attempt, marker);
  if (child.kind === "invalid") return child;
  const [file, ...args] = command.words;
  return { kind: "command", file: file!, args, env: child.env };
}

function toWords(attempt: Attempt): Words {
  const { action } = attempt;
  if (action.kind === "run") return scriptWords(action.script);
  invariant(action.kind === "exec", "CL1", `an action of the kind \`${action.kind}\` cannot run as a process`);
  return argumentWords(attempt.renderedAction().argv ?? []);
}

/** `-e`: the first failing command ends the script. `--`: a script that begins with a hyphen is not an option. */
function scriptWords(script: string): Words {
  if (script.includes("\0")) return invalid("the script holds a NUL character");
  return { kind: "words", words: [SHELL, "-e", "-c", "--", script] };
}

function argumentWords(argv: readonly Json[]): Words {
  if (argv.length === 0 || argv[0] === "") return invalid("`exec` has no program");
  const words: string[] = [];
  for (const [index, word] of argv.entries()) {
    const text = scalarText(word);
    if (text === undefined) return invalid(`${describePosition(index)} is ${describeKind(word)}, not text`);
    if (text.includes("\0")) return invalid(`${describePosition(index)} holds a NUL character`);
    words.push(text);
  }
  return { kind: "words", words };
}

/** The message never contains the value, which may be a secret. */
function invalid(message: string): InvalidCommand {
  return { kind: "invalid", message };
}

function describePosition(index: number): string {
  return index === 0 ? "the program of `exec`" : `argument ${index} of \`exec\``;
}
