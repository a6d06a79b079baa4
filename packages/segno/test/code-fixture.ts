// A folder with a repository and a template, on which `segno code` runs.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { SampleFolder } from "../../code/test/git/sample-folder.ts";
import { runSegno, RunningSegno, type SegnoRun, type SegnoRunOptions } from "./run-segno.ts";

export class CodeFixture extends SampleFolder implements Disposable {
  get repository(): string {
    return this.folder;
  }

  /** Writes a file beside the repository, and returns its path. */
  write(name: string, text: string): string {
    writeFileSync(join(this.root, name), text);
    return join(this.root, name);
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
    this.discard();
  }
}
