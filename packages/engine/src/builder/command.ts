// Commands and requests as the work of a step, with the options of a contract.

import type { RawCall, RawHttp, Scalar } from "@segno/contract";
import type { Json } from "@segno/kernel";
import { invalidOption } from "../checks/option-error.ts";
import { checkOptions, isObject, OBJECT } from "../checks/option-rules.ts";

/** `Result` is the type of its output. */
export interface CallWork<Result> {
  readonly kind: "call";
  readonly call: RawCall;
  readonly env?: Readonly<Record<string, Scalar>>;
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

export interface CommandOptions {
  /** Values may be templates, such as `${ steps.build.output }` and `${ secrets.token }`. */
  readonly env?: Readonly<Record<string, Scalar>>;
}

export interface HttpOutput<Body = Json> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** A shell script. Values reach it only through `env` (DATA-7). */
export function shell(script: string, options: CommandOptions = {}): CallWork<CommandOutput> {
  return { kind: "call", call: { run: script }, ...checkCommandOptions(options) };
}

/** A program with arguments, without a shell. Arguments may be templates. */
export function exec(argv: readonly Scalar[], options: CommandOptions = {}): CallWork<CommandOutput> {
  return { kind: "call", call: { exec: argv }, ...checkCommandOptions(options) };
}

function checkCommandOptions(options: CommandOptions): CommandOptions {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  checkOptions("a command", options, { env: OBJECT });
  return options.env === undefined ? {} : { env: options.env };
}

/** An HTTP request. A bare URL is a GET. */
export function http<Body = Json>(request: RawHttp): CallWork<HttpOutput<Body>> {
  return { kind: "call", call: { http: request } };
}
