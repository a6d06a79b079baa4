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

/** Options of a command. */
export interface CommandOptions extends ProgramOptions {
  /** The program that runs the script, such as `bash`, or a list of a program and the arguments before the script. */
  readonly shell?: string | readonly string[];
}

/** The output of an HTTP step. */
export interface HttpOutput<Body = Json> {
  /** The status code of the response. */
  readonly status: number;
  /** The headers of the response, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: parsed if it is JSON, else text; `{ base64 }` if it is not text. */
  readonly body: Body;
}

/**
 * A shell script. Values reach it only through `env` (DATA-7).
 *
 * @example
 * ```ts
 * import { Engine, shell, workflow } from "segno";
 *
 * const greet = workflow<{ name: string }>("greet")
 *   .step("echo", shell('echo "Hello, $NAME"', { env: { NAME: "${ input.name }" } }))
 *   .output(({ outputs }) => outputs.echo.stdout);
 *
 * await using engine = await Engine.open({ store: "none" });
 * const execution = await engine.start(greet, { name: "Ada" });
 * console.log(await execution.result()); // Hello, Ada
 * ```
 */
export function shell(script: string, options: CommandOptions = {}): CallWork<CommandOutput> {
  return { kind: "call", call: { run: script }, command: checkCommandOptions(options, { ...PROGRAM, shell: SHELL }) };
}

/**
 * A program with arguments, without a shell. Arguments may be templates.
 *
 * @example
 * ```ts
 * import { Engine, exec, workflow } from "segno";
 *
 * const add = workflow<{ a: number }>("add")
 *   .step("print", exec(["printf", "%s and more", "${ input.a }"]))
 *   .output(({ outputs }) => outputs.print.stdout);
 *
 * await using engine = await Engine.open({ store: "none" });
 * const execution = await engine.start(add, { a: 3 });
 * console.log(await execution.result()); // 3 and more
 * ```
 */
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

/**
 * An HTTP request. A bare URL is a GET.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import type { AddressInfo } from "node:net";
 * import { Engine, http, workflow } from "segno";
 *
 * const server = createServer((_, response) => response.setHeader("content-type", "application/json").end('{"name":"Ada"}'));
 * await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
 * const { port } = server.address() as AddressInfo;
 *
 * const user = workflow<{ id: number }>("user")
 *   .step("get", http<{ name: string }>(`http://127.0.0.1:${port}/users/\${ input.id }`))
 *   .output(({ outputs }) => outputs.get.body.name);
 *
 * // Private addresses are refused unless they are allowed.
 * const engine = await Engine.open({ store: "none", http: { allowPrivate: ["127.0.0.1"] } });
 * const execution = await engine.start(user, { id: 7 });
 * console.log(await execution.result()); // Ada
 * await engine.close();
 * server.close();
 * ```
 */
export function http<Body = Json>(request: RawHttp): CallWork<HttpOutput<Body>> {
  return { kind: "call", call: { http: request } };
}
