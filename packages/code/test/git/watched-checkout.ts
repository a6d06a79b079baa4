// Watches the checkout of the user in every test with a real repository: only the test itself, as the user, may change it
// (CODE-11).
//
//   WC1. Compared are the bytes and modes of all files, of the index, of `HEAD` and of the settings of the repository, and the
//        commit that is checked out. A checkout may be dirty or clean. The folder `.segno` belongs to the engine.
//   WC2. There is one exception: a landing on the branch that is checked out moves it forward. The checkout is clean then, and
//        every file that neither commit has is as before.

import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { plainGit } from "./plain-git.ts";

interface CheckoutState {
  /** Hashes by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly head: string | undefined;
}

/** Commands that change neither files nor the index. `status` writes the index. */
const READING: ReadonlySet<string | undefined> = new Set([
  "cat-file",
  "diff",
  "for-each-ref",
  "log",
  "ls-files",
  "ls-tree",
  "merge-base",
  "rev-list",
  "rev-parse",
  "show",
  "show-ref",
]);

export class WatchedCheckout {
  readonly #folder: string;
  readonly #problems: string[] = [];
  #expected: CheckoutState;

  constructor(folder: string) {
    this.#folder = folder;
    this.#expected = this.#read();
  }

  /** Runs an act of the user, who may change anything. */
  act<Result>(act: () => Result): Result {
    this.compare();
    try {
      return act();
    } finally {
      this.accept();
    }
  }

  git<Result>(args: readonly string[], run: () => Result): Result {
    return READING.has(args[0]) ? run() : this.act(run);
  }

  /** What the checkout has now was changed by the user, or by an agent that the test lets loose on it. */
  accept(): void {
    this.#expected = this.#read();
  }

  compare(): void {
    if (!existsSync(this.#folder)) return;
    const now = this.#read();
    const changed = [...new Set([...this.#expected.files.keys(), ...now.files.keys()])].filter(
      (path) => now.files.get(path) !== this.#expected.files.get(path),
    );
    if (changed.length > 0 && !this.#isLanding(now, changed)) this.#problems.push(...changed);
    this.#expected = now;
  }

  /** Throws if anybody but the user has changed the checkout. */
  assertSame(): void {
    this.compare();
    const problems = this.#problems.splice(0);
    if (problems.length > 0) throw new Error(`CODE-11 the checkout of the user was changed: ${problems.join(", ")}`);
  }

  /** WC2. */
  #isLanding({ head }: CheckoutState, changed: readonly string[]): boolean {
    const { head: before } = this.#expected;
    if (head === undefined || before === undefined || head === before) return false;
    const git = (...args: readonly string[]): string =>
      plainGit(["--no-optional-locks", ...args], { cwd: this.#folder });
    const tracked = new Set(
      [before, head].flatMap((commit) => git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")),
    );
    const isForward = git("rev-list", head).split("\n").includes(before);
    const isClean = git("status", "--porcelain", "--untracked-files=no") === "";
    return isForward && isClean && changed.every((path) => path === INDEX || tracked.has(path));
  }

  #read(): CheckoutState {
    const state = ["index", "HEAD", "config"].map((name) => join(this.#folder, ".git", name));
    const paths = [...state.filter((path) => existsSync(path)), ...filesBelow(this.#folder)];
    const files = new Map(paths.map((path) => [relative(this.#folder, path), hashOf(path)]));
    return { files, head: headOf(join(this.#folder, ".git")) };
  }
}

const INDEX = join(".git", "index");

export function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== ".git" && name !== ".segno")
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));
}

export function hashOf(path: string): string {
  const found = lstatSync(path);
  const mode = found.mode.toString(8);
  // The content of a pipe or of a socket cannot be read.
  if (!found.isFile() && !found.isSymbolicLink()) return mode;
  const content = found.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
  return `${mode} ${createHash("sha256").update(content).digest("hex")}`;
}

/** The commit that is checked out. It is read without git, which would be a process for every act of a test. */
function headOf(gitDir: string): string | undefined {
  const head = textOf(join(gitDir, "HEAD"));
  const ref = /^ref: (?<name>.+)$/u.exec(head ?? "")?.groups?.["name"];
  if (ref === undefined) return head;
  const packed = (textOf(join(gitDir, "packed-refs")) ?? "").split("\n").find((line) => line.endsWith(` ${ref}`));
  return textOf(join(gitDir, ref)) ?? packed?.split(" ")[0];
}

function textOf(file: string): string | undefined {
  return existsSync(file) && lstatSync(file).isFile() ? readFileSync(file, "utf8").trim() : undefined;
}
