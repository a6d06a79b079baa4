// Builds a command line, of a `run` or `exec` step or of a process that an agent owns: program, arguments, environment
// variables, working directory and standard input.
//
//   CL1. Only actions of the kinds `run` and `exec` become commands (`runners.ts`).
//   CL2. A message never contains a value of the standard input, which may be a secret.

import { invariant, type Json } from "@segno/kernel";
import { describeKind } from "@segno/kernel/describe-value";
import type { Attempt } from "../runner.ts";
import { attemptEnv, childEnv, inheritedEnv, type ChildEnv, type ProcessEnv } from "./child-env.ts";
import type { ProcessCommand } from "./owned-process.ts";
import { scalarText } from "./scalar-text.ts";

export interface CommandLine {
  readonly kind: "command";
  readonly file: string;
  readonly args: readonly string[];
  readonly env: ProcessEnv;
  /** Relative to the engine's working directory; absent if the command has none of its own. */
  readonly cwd?: string;
  /** Absent if the standard input is empty. */
  readonly stdin?: string;
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
  const identity = attemptEnv(attempt, marker);
  const { env = {}, cwd, stdin } = attempt.renderedAction();
  // A step may set another trace context, or remove it.
  const given = { ...inherited, TRACEPARENT: attempt.traceparent() };
  const line = withEnv(command.words, childEnv({ inherited: given, identity, variables: env }));
  if (line.kind === "invalid") return line;
  if (cwd !== undefined && !isPath(cwd)) return invalid(`\`cwd\` is ${describeKind(cwd)}, not a path`);
  return {
    ...line,
    ...(cwd === undefined ? {} : { cwd }),
    ...(stdin === undefined ? {} : { stdin: inputText(stdin) }),
  };
}

function isPath(cwd: Json): cwd is string {
  return typeof cwd === "string" && cwd !== "" && !cwd.includes("\0");
}

/** A missing value is an empty input, and not the text `null`. */
function inputText(stdin: Json): string {
  if (stdin === null) return "";
  return typeof stdin === "string" ? stdin : JSON.stringify(stdin);
}

/** The command line of a program that an agent starts. `inheritedNames` counts for a command that names none itself. */
export function toProgramLine(
  command: ProcessCommand,
  identity: ProcessEnv,
  inheritedNames: readonly string[],
): CommandLine | InvalidCommand {
  const problem = findProblem(command);
  if (problem !== undefined) return invalid(problem);
  const { argv, env: variables, inherits = inheritedNames } = command;
  const program = argumentWords(argv, "`argv`");
  if (program.kind === "invalid") return program;
  return withEnv(program.words, childEnv({ inherited: inheritedEnv(inherits, process.env), identity, variables }));
}

/** JavaScript callers may pass anything. */
function findProblem({ argv, cwd, env, inherits = [] }: Partial<ProcessCommand>): string | undefined {
  if (!Array.isArray(argv)) return "`argv` is not a list";
  if (typeof cwd !== "string" || cwd === "" || cwd.includes("\0")) return "`cwd` is not a path";
  if (typeof env !== "object" || env === null) return "`env` is not an object";
  return Array.isArray(inherits) ? undefined : "`inherits` is not a list";
}

function withEnv([file, ...args]: readonly string[], child: ChildEnv): CommandLine | InvalidCommand {
  return child.kind === "invalid" ? child : { kind: "command", file: file!, args, env: child.env };
}

function toWords(attempt: Attempt): Words {
  const { action } = attempt;
  if (action.kind === "run") return scriptWords(action.script, attempt.renderedAction().shell);
  invariant(action.kind === "exec", "CL1", `an action of the kind \`${action.kind}\` cannot run as a process`);
  return argumentWords(attempt.renderedAction().argv ?? [], "`exec`");
}

/** `-e`: the first failing command ends the script. `--`: a script that begins with a hyphen is not an option. */
function scriptWords(script: string, shell: readonly Json[] = [SHELL, "-e", "-c", "--"]): Words {
  if (script.includes("\0")) return invalid("the script holds a NUL character");
  return argumentWords([...shell, script], "`shell`");
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
