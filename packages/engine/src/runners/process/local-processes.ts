// Processes of a program in which no engine runs: the same trees as those of attempts, without a store.
//
//   LP1. A process belongs to this process. If this process exits, the exit guard kills the whole tree (`exit-guard.ts`).
//        If it is killed by SIGKILL, nothing finds the tree again: that takes a store, and so an engine.

import { randomUUID } from "node:crypto";
import { INHERITED_ENV_NAMES, markerEnv } from "./child-env.ts";
import { toProgramLine } from "./command-line.ts";
import { OwnedTree } from "./owned-tree.ts";
import type { OwnedProcess, ProcessCommand } from "./owned-process.ts";
import { SharedByTrees } from "./shared-by-trees.ts";

/** Options of `LocalProcesses`. */
export interface LocalProcessesOptions {
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** Called if processes still run a while after the main process has exited by itself, before they are terminated. */
  readonly onRemaining?: (pids: readonly number[]) => void;
}

/** Longer than in an engine, where a process gets SIGTERM before its attempt is stopped. */
const GRACE_MS = 5000;

/** Starts processes on this machine and ends their whole trees. */
export class LocalProcesses {
  readonly #trees: SharedByTrees;
  readonly #onRemaining: LocalProcessesOptions["onRemaining"];

  constructor({ graceMs = GRACE_MS, onRemaining }: LocalProcessesOptions = {}) {
    this.#trees = new SharedByTrees({ graceMs, report: (error) => process.emitWarning(String(error)) });
    this.#onRemaining = onRemaining;
  }

  /** Starts a process. Its whole tree is terminated by `stop`, and when the main process has exited. */
  start(command: ProcessCommand): OwnedProcess {
    const trees = this.#trees;
    trees.assumeAllUnmarked();
    const marker = `local.${randomUUID()}`;
    const commandLine = toProgramLine(command, markerEnv(marker), INHERITED_ENV_NAMES);
    const onRemaining = this.#onRemaining;
    return new OwnedTree({
      command: commandLine,
      cwd: command.cwd,
      marker,
      trees,
      maskText: (text) => text,
      onRemaining,
    });
  }
}
