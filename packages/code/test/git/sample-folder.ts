// A temporary folder with a repository in it, made by the plain git program as a user would make it. The tests of the
// command use it too, so it does not load the sources.

import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { plainGit } from "./plain-git.ts";
import { sampleTemplate } from "./sample-templates.ts";
import { WatchedCheckout } from "./watched-checkout.ts";

export type Files = Readonly<Record<string, string>>;

export class SampleFolder {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "segno-code-")));
  readonly folder: string = join(this.root, "repository");
  /** Every test ends with the question whether its user's checkout is the same. */
  readonly watched: WatchedCheckout;

  /** A repository with these files in its first commit, or a copy of another repository. */
  constructor(content: Files | SampleFolder = { "a.txt": "one\n" }) {
    const from = content instanceof SampleFolder ? content.folder : templateOf(content);
    cpSync(from, this.folder, { recursive: true });
    // The index has the times of the files from which they were copied.
    plainGit(["update-index", "--refresh"], { cwd: this.folder });
    this.watched = new WatchedCheckout(this.folder);
  }

  git(...args: readonly string[]): string {
    return this.gitIn(this.folder, ...args);
  }

  gitIn(cwd: string, ...args: readonly string[]): string {
    return this.watched.git(args, () => plainGit(args, { cwd }));
  }

  /** Writes a shell script that is an agent; `$SEGNO_TASK_ID` says which task it works on. */
  agent(name: string, script: string): string {
    const file = join(this.root, name);
    writeFileSync(file, `#!/bin/sh\nset -e\ncat > /dev/null\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  discard(): void {
    try {
      this.watched.assertSame();
    } finally {
      rmSync(this.root, { recursive: true, force: true });
    }
  }
}

function templateOf(files: Files): string {
  return sampleTemplate(`repository ${JSON.stringify(files)}`, (folder) => {
    plainGit(["init", "--quiet", "--initial-branch=main"], { cwd: folder });
    // The samples of hooks are half of the files of a new repository.
    for (const hook of readdirSync(join(folder, ".git/hooks"))) rmSync(join(folder, ".git/hooks", hook));
    if (Object.keys(files).length === 0) return;
    writeFiles(folder, files);
    plainGit(["add", "--all"], { cwd: folder });
    plainGit(["commit", "--quiet", "--message", "change"], { cwd: folder });
  });
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
