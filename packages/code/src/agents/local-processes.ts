// Processes of agents without an engine, for programs that use an executor of agents on its own. In a workflow the engine
// starts them instead, and finds them again after a crash.
//
//   LP1. Each command leads a process group of its own and carries a marker in its environment, so that its tree is
//        found, also a part that has left the group.
//   LP2. The tree gets SIGTERM, and SIGKILL after the grace period, also if the main process has exited by itself.
//   LP3. The tree has ended when two scans in a row find nothing: a process that was just started is not seen by one.
//   LP4. If this process exits, the groups that still run are killed.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { findTree, signalGroup, signalTree, type ProcessTree } from "./process-table.ts";
import type { ProcessStarter, ProcessToStart, StartedProcess } from "./process-starter.ts";

const MARKER_VARIABLE = "SEGNO_PROCESS_MARKER";
const GRACE_MS = 5000;
/** How long a killed process may take to disappear. */
const KILL_MS = 5000;
const SCAN_MS = 10;
/** How long processes may take to end after the main process until they count as remaining. */
const LINGER_MS = 500;

export interface LocalProcessesOptions {
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** Called with the processes that still run when the main process has exited by itself. */
  readonly onRemaining?: (pids: readonly number[]) => void;
}

export function localProcesses(options: LocalProcessesOptions = {}): ProcessStarter {
  return { start: (command) => new LocalProcess(command, options) };
}

class LocalProcess implements StartedProcess {
  readonly stdin: StartedProcess["stdin"];
  readonly stdout: StartedProcess["stdout"];
  readonly stderr: StartedProcess["stderr"];
  readonly pid: number | undefined;
  readonly mainExit: StartedProcess["mainExit"];
  readonly treeExited: Promise<void>;
  readonly #options: LocalProcessesOptions;
  readonly #marker = `${MARKER_VARIABLE}=${randomUUID()}`;
  #ending: Promise<void> | undefined;
  #hasExited = false;

  constructor(command: ProcessToStart, options: LocalProcessesOptions) {
    this.#options = options;
    const child = startChild(command, this.#marker);
    ({ stdin: this.stdin, stdout: this.stdout, stderr: this.stderr, pid: this.pid } = child);
    this.mainExit = exitOf(child);
    this.treeExited = this.#whenExited();
  }

  stop(): void {
    void this.#end();
  }

  async #whenExited(): Promise<void> {
    try {
      await this.mainExit;
    } catch {
      return;
    }
    this.#hasExited = true;
    await this.#end();
  }

  #end(): Promise<void> {
    if (this.pid === undefined) return Promise.resolve();
    return (this.#ending ??= this.#endTree({ leader: this.pid, marker: this.#marker }));
  }

  async #endTree(tree: ProcessTree): Promise<void> {
    const { graceMs = GRACE_MS, onRemaining } = this.#options;
    if (this.#hasExited && onRemaining !== undefined) await reportRemaining(tree, onRemaining);
    await endTree(tree, graceMs);
  }
}

async function reportRemaining(tree: ProcessTree, onRemaining: (pids: readonly number[]) => void): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += SCAN_MS) {
    const pids = await findTree(tree);
    if (pids.length === 0) return;
    if (waitedMs >= LINGER_MS) return onRemaining(pids);
    await sleep(SCAN_MS);
  }
}

function startChild({ argv, cwd, env, inherits = [] }: ProcessToStart, marker: string): ChildProcessWithoutNullStreams {
  const [file = "", ...args] = argv;
  const [name, value] = marker.split("=") as [string, string];
  const child = spawn(file, args, {
    cwd,
    env: { ...inheritedVariables(inherits), ...env, [name]: value },
    detached: true,
    windowsHide: true,
  });
  if (child.pid !== undefined) guard(child.pid);
  return child;
}

function inheritedVariables(patterns: readonly string[]): NodeJS.ProcessEnv {
  const isInherited = (name: string): boolean =>
    patterns.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isInherited(name)));
}

function exitOf(child: ChildProcessWithoutNullStreams): StartedProcess["mainExit"] {
  const exit = new Promise<{ readonly code: number | null; readonly signal: string | null }>((resolve, reject) => {
    child.on("exit", (code, signal) => resolve({ code, signal }));
    child.on("error", reject);
  });
  // Callers that only wait for `treeExited` need not handle it.
  exit.catch(() => {});
  return exit;
}

/** Ends a tree (LP2, LP3). */
async function endTree(tree: ProcessTree, graceMs: number): Promise<void> {
  const startedAt = performance.now();
  const asked = new Set<number>();
  for (let emptyScans = 0; emptyScans < 2;) {
    const pids = await findTree(tree);
    emptyScans = pids.length === 0 ? emptyScans + 1 : 0;
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > graceMs + KILL_MS) break;
    if (elapsedMs >= graceMs) signalTree(tree, pids, "SIGKILL");
    else ask(tree, pids, asked);
    await sleep(SCAN_MS);
  }
  unguard(tree.leader);
}

/** One SIGTERM for each process: many programs skip their cleanup at the second one. */
function ask(tree: ProcessTree, pids: readonly number[], asked: Set<number>): void {
  const others = pids.filter((pid) => !asked.has(pid));
  if (others.length > 0) signalTree(tree, others, "SIGTERM");
  for (const pid of others) asked.add(pid);
}

/** The groups that run (LP4). */
const guarded = new Set<number>();

function guard(leader: number): void {
  if (guarded.size === 0) process.on("exit", killGuarded);
  guarded.add(leader);
}

function unguard(leader: number): void {
  if (guarded.delete(leader) && guarded.size === 0) process.off("exit", killGuarded);
}

function killGuarded(): void {
  for (const leader of guarded) signalGroup(leader, "SIGKILL");
}
