// A folder with a repository and a template, on which `segno code` runs.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runSegno, RunningSegno, type SegnoRun, type SegnoRunOptions } from "./run-segno.ts";

const ENV = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "user",
  GIT_AUTHOR_EMAIL: "user@example.com",
  GIT_COMMITTER_NAME: "user",
  GIT_COMMITTER_EMAIL: "user@example.com",
};

export class CodeFixture implements Disposable {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "segno-code-command-")));
  readonly repository: string = join(this.root, "repository");

  constructor() {
    mkdirSync(this.repository);
    this.git("init", "--quiet", "--initial-branch=main");
    this.commit();
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: this.repository, env: ENV, encoding: "utf8", stdio: "pipe" }).trim();
  }

  commit(): void {
    writeFileSync(join(this.repository, "a.txt"), "one\n");
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "first");
  }

  /** Writes a file beside the repository, and returns its path. */
  write(name: string, text: string): string {
    writeFileSync(join(this.root, name), text);
    return join(this.root, name);
  }

  /** Writes a shell script that is an agent. */
  agent(script: string): string {
    const file = this.write("agent.sh", `#!/bin/sh\nset -e\ncat > /dev/null\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  template(agent: string, tasks = "  - { id: one, instructions: i }"): string {
    return `name: sample\npolicies: { step: auto, workflow: auto }\nagent: worker\nagents: { worker: { command: ["${agent}"] } }\ntasks:\n${tasks}\n`;
  }

  run(words: readonly string[], options: SegnoRunOptions = {}): Promise<SegnoRun> {
    return runSegno(["code", ...words], { folder: this.root, ...options });
  }

  start(words: readonly string[]): RunningSegno {
    return new RunningSegno(words, { folder: this.root });
  }

  /** Everything that a start would create: branches, the folder in the repository, and the journal. */
  traces(): readonly string[] {
    const folders = [join(this.repository, ".segno"), join(this.root, ".segno")].filter((each) => existsSync(each));
    return [...this.git("for-each-ref", "--format=%(refname)").split("\n").filter(Boolean), ...folders];
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
