// A process that this engine starts, and all processes that descend from it: the engine owns them until none is left.
// The main process is the one that this file spawns. A command is one tree (`command.ts`); an agent may own several
// (`owned-tree.ts`).
//
//   PT1. The main process leads a group of its own, and all processes have the marker of the tree in their environment
//        variables, so that they are found in whichever session they are (CANCEL-2). No two trees have the same marker.
//   PT2. When the main process has exited, its pipes get a moment to close. After that the main process is done, and
//        the user of the tree terminates the remaining processes.
//   PT3. The wait for the main process is bounded if the tree is killed: SIGKILL does not terminate every process, for
//        example one of another user. The tree then reports the main process as done, with no exit code or signal.
//   PT4. From the start until the tree is gone, the exit guard kills it if this process exits (`exit-guard.ts`), and the
//        next owner of the store finds it by its marker and by its record (`orphans.ts`). If the termination gives up
//        processes that SIGKILL does not terminate, guard and record stay.

import { spawn, type ChildProcess } from "node:child_process";
import type { CommandLine } from "./command-line.ts";
import { killOnExit, cancelKillOnExit } from "./exit-guard.ts";
import { ProcessGroup } from "./process-group.ts";
import { ProcessRecordWriter } from "./process-record-writer.ts";
import type { SharedByTrees } from "./shared-by-trees.ts";
import { remaining, terminateTree } from "./terminate-tree.ts";

export interface MainExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SpawnedTreeListener {
  /** The system did not start the main process; nothing else is called after it. May be called while `spawn` runs. */
  onNotStarted(error: unknown): void;
  onMainExit?(exit: MainExit): void;
  /** The main process is done (PT2); `exit` is undefined if it is not known to have exited (PT3). Called once. */
  onMainDone(exit: MainExit | undefined): void;
}

export interface SpawnedTreeOptions {
  readonly command: CommandLine;
  readonly cwd: string;
  readonly marker: string;
  readonly stdin: "ignore" | "pipe";
  readonly trees: SharedByTrees;
  readonly listener: SpawnedTreeListener;
}

/** How long pipes may stay open after the main process has exited (PT2). */
const PIPES_OPEN_MS = 100;
/** How long the main process may take to exit after SIGKILL (PT3). */
const KILLED_MS = 1000;
/** The system assigns pids in sequence, so it does not reuse one within this time. */
const PIDS_DISTINCT_MS = 1000;

export class SpawnedTree {
  readonly #options: SpawnedTreeOptions;
  /** The processes that got SIGTERM; the pid of the leader stands for the group. */
  readonly #signalled = new Set<number>();
  #child: ChildProcess | undefined;
  #group: ProcessGroup | undefined;
  #record: ProcessRecordWriter | undefined;
  #mainExit: MainExit | undefined;
  #termination: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #isKilled = false;
  #isMainDone = false;
  /** Whether processes are left that SIGKILL does not terminate. */
  #hasUnkillable = false;

  constructor(options: SpawnedTreeOptions) {
    this.#options = options;
  }

  /** Starts the main process; `undefined` if the system refuses. */
  spawn(): ChildProcess | undefined {
    const { listener } = this.#options;
    try {
      const child = spawnDetached(this.#options);
      if (child.pid === undefined) child.once("error", (error) => listener.onNotStarted(error));
      else this.#track(child, child.pid);
      return child.pid === undefined ? undefined : child;
    } catch (error) {
      listener.onNotStarted(error);
      return undefined;
    }
  }

  #track(child: ChildProcess, pid: number): void {
    const { marker, trees, listener } = this.#options;
    const { records, report } = trees;
    this.#startedAt = performance.now();
    this.#child = child;
    this.#group = new ProcessGroup(pid);
    trees.mainPids.add(pid);
    killOnExit(this.#group, marker);
    if (records !== undefined) this.#record = new ProcessRecordWriter({ records, marker, pid, report });
    child.on("error", report);
    child.once("exit", (code, signal) => {
      this.#onMainExit({ code, signal });
      listener.onMainExit?.({ code, signal });
    });
    child.once("close", () => this.#onMainDone());
  }

  #onMainExit(exit: MainExit): void {
    this.#mainExit = exit;
    // The group must be checked now: once it is empty, the system may reuse its id.
    this.#record?.onMainExit(this.#group?.hasNoMembers() === false);
    // The SIGTERM that `askToStop` sent was for the main process; the remaining ones get another when they are terminated.
    if (this.#termination === undefined) this.#signalled.clear();
    this.#finishMainWithin(this.#isKilled ? 0 : PIPES_OPEN_MS);
  }

  /** Bytes already in the pipes are still read when the time is over. */
  #finishMainWithin(ms: number): void {
    if (this.#isMainDone) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => setImmediate(() => this.#onMainDone()), ms);
  }

  /** Both pipes are closed, or the time is over. */
  #onMainDone(): void {
    if (this.#isMainDone) return;
    this.#isMainDone = true;
    clearTimeout(this.#timer);
    this.#options.listener.onMainDone(this.#mainExit);
  }

  /** Sends SIGTERM to the group, once: many programs skip their cleanup at the second one. */
  askToStop(): void {
    if (this.#group === undefined || this.#signalled.has(this.#group.leader)) return;
    this.#signalled.add(this.#group.leader);
    this.#group.signal("SIGTERM");
  }

  /** Sends SIGKILL to the group. The termination then kills the others at once. */
  kill(): void {
    this.#isKilled = true;
    this.#group?.signal("SIGKILL");
    if (this.#group !== undefined) this.#finishMainWithin(this.#mainExit === undefined ? KILLED_MS : 0);
  }

  /** True only if it is certain that no process of the tree is left; false means that `terminate` has to decide. */
  isGone(): boolean {
    if (this.#group === undefined) return true;
    const { marker, trees } = this.#options;
    if (this.#isKilled || performance.now() - this.#startedAt > PIDS_DISTINCT_MS) return false;
    return this.#group.hasNoMembers() && trees.recent.hasNoneSince(this.#group.leader, marker, trees.mainPids);
  }

  /** Processes of the tree that run; there may be more, unless there are none. */
  async remaining(): Promise<readonly number[]> {
    const { marker, trees } = this.#options;
    return this.#group === undefined ? [] : await remaining({ group: this.#group, marker, finder: trees.finder });
  }

  /** Terminates all processes of the tree; resolves when only unkillable ones are left, or none. */
  terminate(): Promise<void> {
    return (this.#termination ??= this.#terminate());
  }

  async #terminate(): Promise<void> {
    const { marker, trees } = this.#options;
    const { finder, graceMs, report } = trees;
    const group = this.#group;
    if (group === undefined) return;
    const isForceStopped = (): boolean => this.#isKilled;
    const signalled = this.#signalled;
    const result = await terminateTree({ group, marker, finder, graceMs, signalled, isForceStopped, report });
    this.#hasUnkillable = result === "unkillable";
    if (this.#mainExit === undefined) this.#finishMainWithin(KILLED_MS);
  }

  /** The tree is terminated: nothing has to kill it any more, unless unkillable processes are left (PT4). */
  release(): void {
    if (this.#group === undefined) return;
    if (!this.#hasUnkillable) cancelKillOnExit(this.#group);
    // In any case, because the system may reuse the pid.
    this.#options.trees.mainPids.delete(this.#group.leader);
  }

  /** Removes the record of the tree from the store, or keeps it for the next owner if unkillable processes are left (PT4). */
  async removeOrKeepRecord(): Promise<void> {
    if (this.#hasUnkillable) await this.#record?.keep();
    else await this.#record?.remove();
  }

  /** A process that was not found may hold the pipes open. */
  closePipes(): void {
    this.#child?.stdin?.destroy();
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
  }
}

/** Its own process group, no terminal, and pipes for stdout and stderr. */
function spawnDetached({ command, cwd, stdin }: SpawnedTreeOptions): ChildProcess {
  const { file, args, env } = command;
  return spawn(file, args, { cwd, env, detached: true, windowsHide: true, stdio: [stdin, "pipe", "pipe"] });
}
