// A process tree (`spawned-tree.ts`) with an owner: an attempt of a main-thread agent, or an application without an engine.
//
//   OT1. When the attempt is aborted, the group of the process gets SIGTERM, once. When the attempt is force-stopped,
//        the tree is killed (CANCEL-2).
//   OT2. When the main process is done, the remaining processes of its tree are terminated, and no others of the attempt:
//        each tree has a marker of its own (AM3 in `attempt-marker.ts`).
//   OT3. The tree has exited when none of its processes is left, except those that SIGKILL does not terminate, and its
//        record in the store is removed or kept (PT4 in `spawned-tree.ts`).
//   OT4. No error of a pipe, and no rejection that the agent does not handle, harms the engine.

import { PassThrough, type Readable, type Writable } from "node:stream";
import { SegnoError, type TextFilter } from "@segno/kernel";
import type { CommandLine, InvalidCommand } from "./command-line.ts";
import type { OwnedProcess, OwnedProcessExit } from "./owned-process.ts";
import { sleep } from "./sleep.ts";
import { SpawnedTree, type MainExit } from "./spawned-tree.ts";
import type { SharedByTrees } from "./shared-by-trees.ts";
import { spawnError } from "./spawn-failure.ts";

export interface OwnedTreeOptions {
  readonly command: CommandLine | InvalidCommand;
  readonly cwd: string;
  readonly marker: string;
  readonly trees: SharedByTrees;
  readonly maskText: TextFilter;
  /** Called if processes of the tree still run a while after the main process has exited by itself. */
  readonly onRemaining?: ((pids: readonly number[]) => void) | undefined;
}

/** How long processes may take to exit after the main process until they count as remaining. */
const LINGER_MS = 500;
const LINGER_SLEEP_MS = 10;

const NOT_KNOWN: OwnedProcessExit = Object.freeze({ code: null, signal: null });

export class OwnedTree implements OwnedProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly mainExit: Promise<OwnedProcessExit>;
  readonly treeExited: Promise<void>;
  readonly #tree: SpawnedTree | undefined;
  readonly #onRemaining: OwnedTreeOptions["onRemaining"];
  readonly #main = Promise.withResolvers<OwnedProcessExit>();
  readonly #treeExit = Promise.withResolvers<void>();
  #hasMainExited = false;
  #termination: Promise<void> | undefined;

  constructor(options: OwnedTreeOptions) {
    const { command, trees } = options;
    this.mainExit = this.#main.promise;
    this.treeExited = this.#treeExit.promise;
    this.mainExit.catch(() => undefined);
    this.#onRemaining = options.onRemaining;
    this.#tree = command.kind === "command" ? this.#makeTree(command, options) : undefined;
    if (command.kind === "invalid") this.#onNotStarted(new SegnoError("COMMAND_INVALID", command.message));
    const child = this.#tree?.spawn();
    this.pid = child?.pid;
    this.stdin = child?.stdin ?? closedPipe();
    this.stdout = child?.stdout ?? closedPipe();
    this.stderr = child?.stderr ?? closedPipe();
    this.stdin.on("error", () => undefined);
    const report = (error: Error): void => {
      // A reader that stops before the end closes the pipe with this error.
      if (error.name !== "AbortError") trees.report(error);
    };
    this.stdout.on("error", report);
    this.stderr.on("error", report);
  }

  #makeTree(command: CommandLine, { cwd, marker, trees, maskText }: OwnedTreeOptions): SpawnedTree {
    const { file } = command;
    const listener = {
      onNotStarted: (error: unknown) => this.#onNotStarted(spawnError({ error, file, cwd, maskText })),
      onMainExit: (exit: MainExit) => {
        this.#hasMainExited = true;
        this.#main.resolve(exit);
      },
      onMainDone: () => void this.#onMainDone(),
    };
    return new SpawnedTree({ command, cwd, marker, stdin: "pipe", trees, listener });
  }

  #onNotStarted(error: SegnoError): void {
    this.#main.reject(error);
    this.#treeExit.resolve();
  }

  async #onMainDone(): Promise<void> {
    const tree = this.#tree!;
    this.#main.resolve(NOT_KNOWN);
    if (!tree.isGone()) await this.#terminate(tree);
    tree.release();
    await tree.removeOrKeepRecord();
    this.#treeExit.resolve();
  }

  stop(): void {
    if (this.#tree !== undefined) void this.#terminate(this.#tree);
  }

  #terminate(tree: SpawnedTree): Promise<void> {
    return (this.#termination ??= this.#reportAndTerminate(tree));
  }

  async #reportAndTerminate(tree: SpawnedTree): Promise<void> {
    if (this.#hasMainExited && this.#onRemaining !== undefined) await reportRemaining(tree, this.#onRemaining);
    await tree.terminate();
  }

  /** The attempt is aborted (OT1). */
  askToStop(): void {
    this.#tree?.askToStop();
  }

  /** The attempt is force-stopped (OT1). */
  kill(): void {
    this.#tree?.kill();
  }

  closePipes(): void {
    this.#tree?.closePipes();
  }
}

async function reportRemaining(tree: SpawnedTree, onRemaining: (pids: readonly number[]) => void): Promise<void> {
  for (const until = performance.now() + LINGER_MS; ; await sleep(LINGER_SLEEP_MS)) {
    const pids = await tree.remaining();
    if (pids.length === 0) return;
    if (performance.now() >= until) return onRemaining(pids);
  }
}

/** The pipe of a process that was not started: nothing can be read from it, and writing to it has no effect. */
function closedPipe(): PassThrough {
  const pipe = new PassThrough();
  pipe.end();
  return pipe;
}
