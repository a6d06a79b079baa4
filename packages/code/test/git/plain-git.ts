// The plain git program, as a user or a forge runs it, without the settings of this machine.

import { execFileSync } from "node:child_process";

export interface PlainGitOptions {
  readonly cwd: string;
  readonly input?: string;
  /** The name of the author and committer. */
  readonly name?: string;
}

export interface ImportedCommit {
  readonly branch: string;
  /** The commit before it; without one, the branch begins here. */
  readonly base: string | undefined;
  readonly files: Readonly<Record<string, string>>;
}

/** The environment of every git process of a user whose name is `name`. */
export function plainEnvironment(name = "user"): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: `${name}@example.com`,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: `${name}@example.com`,
  };
}

/** Runs git and returns what it printed. Throws unless it ends with 0. */
export function plainGit(args: readonly string[], { cwd, input, name }: PlainGitOptions): string {
  const options = { cwd, env: plainEnvironment(name), encoding: "utf8", stdio: "pipe" } as const;
  return execFileSync(
    "git",
    args,
    input === undefined ? { ...options, stdio: ["ignore", "pipe", "pipe"] } : { ...options, input },
  ).trim();
}

/** Commits files on a branch, without a checkout and in one process. Returns the id of the commit. */
export function importCommit({ branch, base, files }: ImportedCommit, options: PlainGitOptions): string {
  const { name = "user" } = options;
  const entries = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
  const input = [
    `commit refs/heads/${branch}\nmark :1\ncommitter ${name} <${name}@example.com> now\n${data(`change ${branch}\n`)}`,
    ...(base === undefined ? [] : [`from ${base}\n`]),
    ...entries,
    "\nget-mark :1\ndone\n",
  ].join("");
  return plainGit(["fast-import", "--quiet", "--date-format=now", "--done"], { ...options, input });
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
