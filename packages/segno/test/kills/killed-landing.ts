// One workflow whose command is killed at a moment and then continued, and the claims about what is left.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { CodeFixture } from "../code-fixture.ts";
import { RunningSegno, type SegnoRun } from "../run-segno.ts";
import { pathWithWrapper } from "./git-wrapper.ts";
import { writeScenario, type LandingScenario } from "./landing-scenario.ts";

const PRELOAD = new URL("kill-moments.ts", import.meta.url).href;
const NEVER = Number.MAX_SAFE_INTEGER;
/** A command that does not end is a failure, too. */
const HANG_MS = 300_000;
const LOOK_MS = 500;

export interface KillReport {
  /** The moments that the killed processes reached, in order. */
  readonly moments: readonly string[];
  /** The claims that do not hold. */
  readonly problems: readonly string[];
}

export class KilledLanding implements Disposable {
  readonly #scenario: LandingScenario;
  readonly #fixture = new CodeFixture();
  readonly #path = pathWithWrapper(this.#fixture.root);
  readonly #template: string;
  readonly #before: readonly string[];
  readonly #moments: string[] = [];

  constructor(scenario: LandingScenario) {
    this.#scenario = scenario;
    for (const folder of ["tmp", "state"]) mkdirSync(join(this.#fixture.root, folder));
    this.#template = writeScenario(this.#fixture, scenario);
    this.#writeUserFiles();
    this.#before = this.#checkout();
  }

  /** Kills the command at this moment, continues it, and checks the claims. */
  async killAt(moment: number): Promise<KillReport> {
    await this.#runKilled(this.#runWords, moment);
    return await this.#finish();
  }

  /** Kills one command after another, each a few moments later than the one before, until one of them finishes. */
  async killOften(first: number, step: number): Promise<KillReport> {
    let isDone = await this.#runKilled(this.#runWords, first);
    for (let at = first + step; !isDone; at += step) isDone = await this.#runKilled(WORK, at);
    return await this.#finish();
  }

  [Symbol.dispose](): void {
    this.#fixture[Symbol.dispose]();
  }

  get #runWords(): readonly string[] {
    return ["code", "run", this.#template, "--repo", "repository", "--quiet"];
  }

  #writeUserFiles(): void {
    const fixture = this.#fixture;
    const write = (name: string, text: string): void =>
      fixture.watched.act(() => writeFileSync(join(fixture.repository, name), text));
    write("state.txt", "good\n");
    fixture.git("add", "--all");
    fixture.git("commit", "--quiet", "--message", "state");
    if (this.#scenario.isOnBase) return;
    fixture.git("checkout", "--quiet", "-b", "mine");
    write("a.txt", "dirty\n");
    write("untracked.txt", "mine\n");
  }

  /** Returns whether the command ended by itself. */
  async #runKilled(words: readonly string[], moment: number): Promise<boolean> {
    const log = join(this.#fixture.root, `moments-${this.#moments.length}-${words[0]}`);
    writeFileSync(log, "");
    const main = this.#start(words, { SEGNO_KILL_LOG: log, SEGNO_KILL_AT: String(moment) });
    const hasWaited = main.reports(/waits for approval/u).then(
      async () => {
        if (this.#scenario.isApproved) await this.#land({ SEGNO_KILL_LOG: log, SEGNO_KILL_AT: String(moment) }, main);
        else main.send("SIGKILL");
        return true;
      },
      () => false,
    );
    const ended = await this.#ended(main);
    const isWaiting = (await hasWaited) && !this.#scenario.isApproved;
    this.#moments.push(...readFileSync(log, "utf8").split("\n").filter(Boolean));
    if (ended.signal === null && ended.exitCode !== 0) throw new Error(ended.stderr);
    return ended.signal === null || isWaiting;
  }

  /** An approval that was killed is given again, unless the command that waits for it was killed, too. */
  async #land(environment: Readonly<Record<string, string>>, main: RunningSegno): Promise<SegnoRun> {
    const ended = await this.#ended(this.#start(LAND, environment));
    if (ended.signal === null || main.hasEnded) return ended;
    return await this.#ended(this.#start(LAND));
  }

  async #finish(): Promise<KillReport> {
    const main = this.#start(this.#hasExecution() ? WORK : this.#runWords);
    let isKept = false;
    while (!main.hasEnded && (await this.#isWaiting(main))) {
      isKept = !this.#scenario.isApproved;
      if (isKept) main.send("SIGKILL");
      else await this.#ended(this.#start(LAND));
    }
    const { exitCode, stderr } = await this.#ended(main);
    if (exitCode !== 0 && !isKept) throw new Error(`segno ended with ${exitCode}: ${stderr}`);
    // Must not remove work that has not landed.
    if (isKept) await this.#ended(this.#start(["code", "clean"]));
    // Opens the repository, and so removes the temporary folder of a process that was killed when all its work was done.
    else await this.#ended(this.#start(["code", "open", "a"]));
    return { moments: this.#moments, problems: [...this.#findProblems()] };
  }

  /** Resolves when a person has to act, or when the command has ended. A command that continues does not say it again. */
  async #isWaiting(main: RunningSegno): Promise<boolean> {
    const needsPerson = this.#scenario.isApproved || !this.#scenario.lands;
    if (!needsPerson) await this.#ended(main);
    while (!main.hasEnded) {
      await Promise.race([main.ended, sleep(LOOK_MS)]);
      const { stdout } = await this.#ended(this.#start(["code", "status"]));
      if (stdout.includes("waits for a person")) return true;
    }
    return false;
  }

  #start(words: readonly string[], environment: Readonly<Record<string, string>> = {}): RunningSegno {
    const { root } = this.#fixture;
    return new RunningSegno(words, {
      folder: root,
      flags: ["--import", PRELOAD],
      environment: {
        PATH: this.#path,
        TMPDIR: join(root, "tmp"),
        XDG_STATE_HOME: join(root, "state"),
        SEGNO_KILL_AT: String(NEVER),
        ...environment,
      },
    });
  }

  async #ended(running: RunningSegno): Promise<SegnoRun> {
    const guard = setTimeout(() => running.send("SIGABRT"), HANG_MS);
    const ended = await running.ended;
    clearTimeout(guard);
    if (ended.signal === "SIGABRT") throw new Error(`the command hangs: ${ended.stderr}`);
    return ended;
  }

  /** Whether the kill came after the start was recorded; otherwise the user starts it again. */
  #hasExecution(): boolean {
    // A command that only reads: the kill may have left a landing half done, which the next process finishes.
    return this.#branch("workflow/*") !== "" || existsSync(join(this.#fixture.root, "sessions"));
  }

  /** The tasks that landed on a branch. Merges that a fix repaired are in the history of the task only. */
  #landings(branch: string): readonly string[] {
    const format = "--format=%(trailers:key=Segno-Task,valueonly,separator=%x2C)";
    const log = this.#fixture.git("log", format, "--merges", "--first-parent", branch);
    return log.split("\n").filter(Boolean).toSorted();
  }

  #branch(pattern: string): string {
    return this.#fixture.git("for-each-ref", "--format=%(refname)", `refs/heads/${pattern}`);
  }

  *#findProblems(): Generator<string> {
    const { tasks, lands, fixes, isFixOptional } = this.#scenario;
    const landed = [...this.#landings("main"), ...this.#landings(this.#branch("workflow/*"))].join(" ");
    if (landed !== (lands ? ["_workflow", ...tasks].join(" ") : "")) yield `landed: ${landed}`;
    const fixed = [...new Set(this.#sessions().filter((id) => id.includes("fix")))].toSorted();
    const isExpected = fixes.length === fixed.length && fixes.every((id, n) => id.slice(1) === fixed[n]!.slice(1));
    if (!isExpected && !(isFixOptional && fixed.length === 0)) yield `fixes: ${fixed.join(" ")}`;
    yield* lands ? this.#findLeftovers() : this.#findLost();
    yield* this.#findCheckoutProblems();
    const temporary = readdirSync(join(this.#fixture.root, "tmp"));
    if (temporary.length > 0) yield `temporary: ${temporary.join(" ")}`;
    const locks = readdirSync(join(this.#fixture.repository, ".git")).filter((name) => /lock|segno-/u.test(name));
    if (locks.length > 0) yield `locks: ${locks.join(" ")}`;
    const processes = processesOf(this.#fixture.root);
    if (processes.length > 0) yield `processes: ${processes.join("; ")}`;
  }

  #sessions(): readonly string[] {
    return readFileSync(join(this.#fixture.root, "sessions"), "utf8").trim().split("\n");
  }

  *#findLeftovers(): Generator<string> {
    const { git, repository } = { git: this.#fixture.git.bind(this.#fixture), repository: this.#fixture.repository };
    const worktrees = git("worktree", "list").split("\n");
    if (worktrees.length > 1) yield `worktrees: ${worktrees.join("; ")}`;
    const branches = git("branch", "--list", "task/*");
    if (branches !== "") yield `branches: ${branches}`;
    const root = join(repository, ".segno/worktrees");
    for (const execution of readdirSync(root).filter((name) => name !== ".gitignore")) {
      const names = readdirSync(join(root, execution), { recursive: true }).filter((name) => name !== ".records");
      if (names.length > 0) yield `workspaces: ${names.join(" ")}`;
    }
  }

  /** The work that did not land has to be there: the branch of the task, and the workspace of its last fix. */
  *#findLost(): Generator<string> {
    const { git, repository } = { git: this.#fixture.git.bind(this.#fixture), repository: this.#fixture.repository };
    for (const id of ["a", ...this.#scenario.fixes]) {
      const branch = this.#branch(`task/*-${id}`);
      const text = branch === "" ? "" : git("show", `${branch}:state.txt`);
      if (!text.startsWith("error")) yield `lost: the work of ${id}`;
    }
    const kept = readdirSync(join(repository, ".segno/worktrees"), { recursive: true }).map(String);
    if (!kept.some((name) => name.endsWith("a.fix2/state.txt"))) yield "lost: the workspace of the last fix";
  }

  *#findCheckoutProblems(): Generator<string> {
    const after = this.#checkout();
    const status = this.#fixture.git("status", "--porcelain");
    if (this.#scenario.isOnBase && (status !== "" || !existsSync(join(this.#fixture.repository, "a.txt"))))
      yield `the user's folder: ${status}`;
    if (!this.#scenario.isOnBase && after.join("\n") !== this.#before.join("\n"))
      yield `the user's folder: ${after.filter((line) => !this.#before.includes(line)).join("; ")}`;
  }

  /** The files of the user's folder, its index and its head, with hashes of their bytes. */
  #checkout(): readonly string[] {
    const { repository } = this.#fixture;
    const files = readdirSync(repository).filter((name) => name !== ".git" && name !== ".segno");
    return [".git/index", ".git/HEAD", ".git/config", ...files].map((name) => {
      const content = readFileSync(join(repository, name));
      return `${name} ${createHash("sha256").update(content).digest("hex")}`;
    });
  }
}

const LAND: readonly string[] = ["code", "land", "--by", "user"];
const WORK: readonly string[] = ["work", "--until-idle", "--quiet"];

/** The processes whose folder or environment is below a folder. */
function processesOf(root: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(root) || usesFolder(pid, root))
    .map((pid) => `${pid} ${read(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ")}`);
}

function usesFolder(pid: string, root: string): boolean {
  return read(() => readFileSync(`/proc/${pid}/environ`, "latin1")).includes(root);
}

/** A process may end while it is looked at. */
function read(reading: () => string): string {
  try {
    return reading();
  } catch {
    return "";
  }
}
