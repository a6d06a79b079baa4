// Runs programs of the workspace: its installed tools and its own command.
//
// They run on the Node that runs this process, never on whatever `node` the machine has, so that a check says the same
// on every machine.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { ROOT } from "./repository.ts";

export interface ToolRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

export interface ToolOptions {
  readonly folder?: string;
  /** Let the tool write to this terminal instead of keeping what it says. */
  readonly show?: boolean;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Is told everything that it has written so far, whenever it writes. */
  readonly seen?: (output: string) => void;
}

export function runTool(tool: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolRun> {
  return runNode([toolFile(tool), ...args], options);
}

export function runNode(args: readonly string[], options: ToolOptions = {}): Promise<ToolRun> {
  return runProgram([process.execPath, ...args], options);
}

export function runProgram(
  [file, ...args]: readonly [string, ...string[]],
  options: ToolOptions = {},
): Promise<ToolRun> {
  const startedMs = performance.now();
  const child = spawn(file, args, {
    cwd: options.folder ?? ROOT,
    env: {
      ...environment(),
      ...(options.show === true ? {} : { NO_COLOR: "1", FORCE_COLOR: undefined }),
      ...options.env,
    },
    stdio: options.show === true ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    options.seen?.(stdout + stderr);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    options.seen?.(stdout + stderr);
  });
  return new Promise((settle, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      settle({ exitCode: code ?? 1, stdout, stderr, durationMs: performance.now() - startedMs });
    });
  });
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: [join(ROOT, "node_modules", ".bin"), process.env["PATH"] ?? ""].join(delimiter) };
}

/** Which package brings a tool whose name is not the package's. */
const PACKAGE_OF: Readonly<Record<string, string>> = { tsc: "typescript" };

/** The JavaScript behind a tool's command; the links in `.bin` are shell scripts on some systems. */
function toolFile(tool: string): string {
  const folder = join(ROOT, "node_modules", PACKAGE_OF[tool] ?? tool);
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { bin } = manifest as { readonly bin: string | Readonly<Record<string, string>> };
  const file = typeof bin === "string" ? bin : bin[tool];
  if (file === undefined) throw new Error(`Expected ${folder} to have the command ${tool}; run npm ci.`);
  return join(folder, file);
}
