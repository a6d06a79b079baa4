// A copy of a workspace's packages in which one bug at a time is planted: never in the sources, and never by a switch in
// them. A script in the copy runs seeds and prints `seed <number>: <claim>` for the first that breaks a claim.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Change, Mutant } from "./mutant.ts";

export interface CopiedWorkspace {
  /** The folder of the workspace. */
  readonly root: string;
  /** The packages of the scope `@segno` that are copied, by the names of their folders. */
  readonly packages: readonly string[];
  /** The script that runs seeds, relative to `root`. Its folder is copied with it. */
  readonly script: string;
}

export interface Verdict {
  readonly name: string;
  /** The first seed that broke a claim; undefined if none did. */
  readonly seed: number | undefined;
  readonly claim: string;
}

/** `count` numbers from `first` on, with a distance of `step`. */
export interface Seeds {
  readonly first: number;
  readonly count: number;
  readonly step: number;
}

export class PlantedCopy implements Disposable {
  readonly #directory: string = mkdtempSync(join(tmpdir(), "segno-mutant-"));
  readonly #workspace: CopiedWorkspace;

  /** Copies the packages, so that they import each other's copies; links their dependencies. */
  constructor(workspace: CopiedWorkspace) {
    this.#workspace = workspace;
    const { root, packages, script } = workspace;
    for (const name of packages) this.#copyPackage(name);
    const folder = dirname(script);
    cpSync(join(root, folder), join(this.#directory, folder), { recursive: true });
    const modules = join(this.#directory, "node_modules");
    mkdirSync(join(modules, "@segno"), { recursive: true });
    for (const name of packages)
      symlinkSync(join(this.#directory, "packages", name), join(modules, "@segno", name), "dir");
    for (const name of readdirSync(join(root, "node_modules")))
      if (name !== "@segno" && !name.startsWith("."))
        symlinkSync(join(root, "node_modules", name), join(modules, name), "dir");
  }

  /** Runs seeds with the bug, up to the first that breaks a claim. */
  async verdictOn(mutant: Mutant, seeds: Seeds): Promise<Verdict> {
    const before = mutant.changes.map(({ file }) => [file, this.#read(file)] as const);
    try {
      for (const change of mutant.changes) this.#apply(change);
      const output = await this.#run(seeds);
      const found = /^seed (\d+): (.*)$/mu.exec(output);
      if (found === null) return { name: mutant.name, seed: undefined, claim: output.slice(-300) };
      return { name: mutant.name, seed: Number(found[1]), claim: found[2]!.slice(0, 100) };
    } finally {
      for (const [file, text] of before.toReversed()) writeFileSync(this.#path(file), text);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #copyPackage(name: string): void {
    const from = join(this.#workspace.root, "packages", name);
    const to = join(this.#directory, "packages", name);
    mkdirSync(to, { recursive: true });
    cpSync(join(from, "package.json"), join(to, "package.json"));
    cpSync(join(from, "src"), join(to, "src"), { recursive: true });
  }

  #path(file: string): string {
    return join(this.#directory, "packages", file);
  }

  #read(file: string): string {
    return readFileSync(this.#path(file), "utf8");
  }

  #apply({ file, from, to }: Change): void {
    const text = this.#read(file);
    const times = text.split(from).length - 1;
    if (times !== 1) throw new Error(`the text to change occurs ${times} times in ${file}: ${from}`);
    writeFileSync(
      this.#path(file),
      text.replace(from, () => to),
    );
  }

  #run({ first, count, step }: Seeds): Promise<string> {
    const script = join(this.#directory, this.#workspace.script);
    const which = ["--first", String(first), "--seeds", String(count), "--step", String(step)];
    // Each bug changes a few files; the others are compiled once for all bugs.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(this.#directory, "compiled") };
    return new Promise((resolve) => {
      execFile(process.execPath, [script, ...which, "--quiet"], { env, maxBuffer: 1 << 24 }, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
  }
}

/** The result of `work` for each mutant, two at a time, for two cores. */
export async function withCopies<Result>(
  workspace: CopiedWorkspace,
  mutants: readonly Mutant[],
  work: (copy: PlantedCopy, mutant: Mutant) => Promise<Result>,
): Promise<readonly Result[]> {
  const waiting = [...mutants];
  const results: Result[] = [];
  const serve = async (): Promise<void> => {
    using copy = new PlantedCopy(workspace);
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift())
      results.push(await work(copy, mutant));
  };
  await Promise.all([serve(), serve()]);
  return results;
}
