// Commands and requests as the work of a step, with the options of a contract.

import type { RawCall, RawHttp, Scalar } from "@segno/contract";
import type { Json } from "@segno/kernel";
import { invalidOption } from "../checks/option-error.ts";
import {
  ANYTHING,
  checkOptions,
  isObject,
  isText,
  OBJECT,
  TEXT,
  type OptionRules,
  type Rule,
} from "../checks/option-rules.ts";

/** `Result` is the type of its output. */
export interface CallWork<Result> {
  readonly kind: "call";
  readonly call: RawCall;
  /** The options of a command, as a contract has them. */
  readonly command?: CommandOptions;
  /** Never present at run time: it carries the type. */
  readonly result?: Result;
}

/** The output of a command that succeeded. */
export interface CommandOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Present if the command wrote more than the limit. The output then holds the ends of its streams. */
  readonly truncated?: boolean;
}

/** The options of a program. Texts may be templates, such as `${ steps.build.output }`. */
export interface ProgramOptions {
  /** Values may also be secrets, such as `${ secrets.token }`. */
  readonly env?: Readonly<Record<string, Scalar>>;
  /** The working directory, relative to that of the engine. */
  readonly cwd?: string;
  /** The standard input. Values that are not text are written as JSON. Secrets are allowed as in `env`. */
  readonly stdin?: Json;
}

export interface CommandOptions extends ProgramOptions {
  /** The program that runs the script, such as `bash`, or a list of a program and the arguments before the script. */
  readonly shell?: string | readonly string[];
}

export interface HttpOutput<Body = Json> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** A shell script. Values reach it only through `env` (DATA-7). */
export function shell(script: string, options: CommandOptions = {}): CallWork<CommandOutput> {
  return { kind: "call", call: { run: script }, command: checkCommandOptions(options, { ...PROGRAM, shell: SHELL }) };
}

/** A program with arguments, without a shell. Arguments may be templates. */
export function exec(argv: readonly Scalar[], options: ProgramOptions = {}): CallWork<CommandOutput> {
  return { kind: "call", call: { exec: argv }, command: checkCommandOptions(options, PROGRAM) };
}

/** The checks of a contract follow when the workflow is built. */
const PROGRAM = { env: OBJECT, cwd: TEXT, stdin: ANYTHING };
const SHELL: Rule = { expected: "text or a list of texts", fits: (value) => isText(value) || Array.isArray(value) };

function checkCommandOptions(options: CommandOptions, rules: OptionRules): CommandOptions {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  checkOptions("a command", options, rules);
  return options;
}

/** An HTTP request. A bare URL is a GET. */
export function http<Body = Json>(request: RawHttp): CallWork<HttpOutput<Body>> {
  return { kind: "call", call: { http: request } };
}
