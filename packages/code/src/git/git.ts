// The git program. Every git process of this package is started here, with a list of arguments and never through a
// shell, with a time limit and a limit of its output.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { CodeError } from "../errors/code-error.ts";
import { gitEnvironment, type GitSetting } from "./git-environment.ts";

export const TIMEOUT_MS = 120_000;
export const OUTPUT_BYTES_MAX: number = 64 * 1024 * 1024;
/** The first version with `merge-tree --write-tree`. */
const VERSION_MIN: readonly [major: number, minor: number] = [2, 38];

export interface GitOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of this call. They are passed in the environment, so a list of processes does not show them. */
  readonly settings?: readonly GitSetting[];
  readonly input?: string | Buffer;
  readonly signal?: AbortSignal | undefined;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export class Git {
  /** How many processes were started. */
  processCount = 0;

  private constructor() {}

  /** Checks that git is installed and new enough. */
  static async open(): Promise<Git> {
    const git = new Git();
    const version = await git.text(["version"]);
    const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/u.exec(version) ?? []).map(Number);
    if (major < VERSION_MIN[0] || (major === VERSION_MIN[0] && minor < VERSION_MIN[1]))
      throw new CodeError("GIT_TOO_OLD", `${version} is installed; Segno needs git ${VERSION_MIN.join(".")} or newer`);
    return git;
  }

  /** Runs git and returns its exit code. A process that could not be started, was killed or wrote too much is an error. */
  async run(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    options.signal?.throwIfAborted();
    return await collect(this.start(args, options), args, options);
  }

  /** Starts git and leaves its streams to the caller, who limits its time and its output. */
  start(args: readonly string[], { cwd, env = {}, settings }: GitOptions): ChildProcessWithoutNullStreams {
    this.processCount++;
    return spawn("git", args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: gitEnvironment(env, settings),
      windowsHide: true,
    });
  }

  /** Runs git, requires the exit code 0, and returns what git wrote, without the last line break. */
  async text(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return requireText(args, await this.run(args, options));
  }
}

/** The output of a call without its last line break. Throws unless the exit code is 0. */
export function requireText(args: readonly string[], result: GitResult): string {
  if (result.exitCode !== 0) throw gitFailed(args, result);
  return result.stdout.toString("utf8").replace(/\n$/u, "");
}

export function gitFailed(args: readonly string[], { exitCode, stderr }: GitResult): CodeError {
  const lines = stderr.trim().split("\n").slice(0, 5).join("\n");
  return new CodeError("GIT_FAILED", `\`git ${subcommand(args)}\` ended with ${exitCode}: ${lines || "no message"}`);
}

export function gitMissing(error: Error): CodeError {
  return new CodeError("GIT_MISSING", `git cannot be started: ${error.message}`, error);
}

/** The name of the command without the options before it, for messages. */
function subcommand(args: readonly string[]): string {
  return args.find((argument) => !argument.startsWith("-")) ?? "";
}

function collect(
  child: ChildProcessWithoutNullStreams,
  args: readonly string[],
  { input, signal }: GitOptions,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const output = new CollectedOutput(OUTPUT_BYTES_MAX, (problem) => stop(problem));
    let stopped: CodeError | undefined;
    const stop = (problem: string): void => {
      stopped ??= new CodeError("GIT_FAILED", `\`git ${subcommand(args)}\` ${problem}`);
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => stop(`took longer than ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS);
    const onAbort = (): void => void child.kill("SIGKILL");
    signal?.addEventListener("abort", onAbort, { once: true });
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      finish();
    };
    child.stdout.on("data", (chunk: Buffer) => output.addStdout(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.addStderr(chunk));
    child.on("error", (error) => settle(() => reject(gitMissing(error))));
    child.on("close", (code, killedBy) =>
      settle(() => {
        if (signal?.aborted === true) return reject(signal.reason as Error);
        if (stopped !== undefined) return reject(stopped);
        if (code === null)
          return reject(new CodeError("GIT_FAILED", `\`git ${subcommand(args)}\` was killed by ${killedBy}`));
        resolve({ exitCode: code, stdout: output.stdout, stderr: output.stderr });
      }),
    );
    // Git may end before it has read all of its input.
    child.stdin.on("error", () => {});
    child.stdin.end(input ?? "");
  });
}

class CollectedOutput {
  readonly #bytesMax: number;
  readonly #onTooLarge: (problem: string) => void;
  readonly #stdout: Buffer[] = [];
  readonly #stderr: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number, onTooLarge: (problem: string) => void) {
    this.#bytesMax = bytesMax;
    this.#onTooLarge = onTooLarge;
  }

  get stdout(): Buffer {
    return Buffer.concat(this.#stdout);
  }

  get stderr(): string {
    return Buffer.concat(this.#stderr).toString("utf8");
  }

  addStdout(chunk: Buffer): void {
    this.#add(this.#stdout, chunk);
  }

  addStderr(chunk: Buffer): void {
    this.#add(this.#stderr, chunk);
  }

  #add(chunks: Buffer[], chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) this.#onTooLarge(`wrote more than ${this.#bytesMax} bytes`);
    else chunks.push(chunk);
  }
}
