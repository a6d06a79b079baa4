// The processes that attempts of a store start: they are marked, so that the next owner of the store finds those that
// a crash left running. Commands start theirs in their runner; main-thread agents start theirs here.
//
//   OP1. A process belongs to a running attempt of this engine on the main thread. A context of another attempt, of
//        another engine or of a worker thread is refused, and so is one whose attempt should stop.
//   OP2. No process outlives the engine: `close` kills those that run. If this process exits without `close`, the exit
//        guard kills them (`exit-guard.ts`).

import { SegnoError } from "@segno/kernel";
import { DerivedContext } from "../agents/derived-context.ts";
import type { StepContext } from "../agents/step-context.ts";
import { AttemptContext, type ProcessOwner } from "../runners/attempt-context.ts";
import { OwnedTree } from "../runners/process/owned-tree.ts";
import { attemptMarker, ownedMarker } from "../runners/process/attempt-marker.ts";
import { attemptEnv } from "../runners/process/child-env.ts";
import { toProgramLine } from "../runners/process/command-line.ts";
import { inheritedSecrets } from "../runners/process/inherited-secrets.ts";
import { killOrphans } from "../runners/process/orphans.ts";
import type { OwnedProcess, ProcessCommand } from "../runners/process/owned-process.ts";
import type { SharedByTrees } from "../runners/process/shared-by-trees.ts";
import type { StreamMasker } from "../secrets/stream-masker.ts";
import type { StepAttempt } from "./step-attempt.ts";

export interface AttemptProcessesOptions {
  /** Distinguishes the processes of this store from those of others. */
  readonly storeId: string;
  /** Whether another process may have owned the store before. */
  readonly isShared: boolean;
  readonly trees: SharedByTrees;
  /** Names of the environment variables that processes inherit; a trailing `*` matches any suffix. */
  readonly inheritedNames: readonly string[];
  /** Masks the values in everything that is written from now on. */
  readonly maskAlways: (values: readonly string[]) => void;
}

export class AttemptProcesses {
  readonly #options: AttemptProcessesOptions;
  /** The processes of main-thread agents. */
  readonly #running = new Set<OwnedTree>();

  constructor(options: AttemptProcessesOptions) {
    this.#options = options;
  }

  /** Unique for every attempt, because each one has a higher epoch. */
  marker(attempt: StepAttempt): string {
    return attemptMarker(this.#options.storeId, attempt);
  }

  /** Kills the processes that a previous owner of this store left running; a store that is not shared had none. */
  async killOrphans(): Promise<void> {
    const { isShared, trees, storeId } = this.#options;
    const { records, report } = trees;
    if (isShared) await killOrphans({ records, prefix: `${storeId}.`, report });
  }

  /** Starts a process that the attempt with this context owns (OP1). */
  spawn(context: Omit<StepContext, "input">, command: ProcessCommand): OwnedProcess {
    const { trees, inheritedNames, maskAlways } = this.#options;
    const { attempt, processes } = this.#processOwner(context);
    context.signal.throwIfAborted();
    trees.assumeAllUnmarked();
    const marker = ownedMarker(attempt.marker(), processes.nextNumber());
    const maskText = (text: string): string => attempt.maskText(text);
    const commandLine = toProgramLine(command, attemptEnv(attempt, marker), inheritedNames);
    if (Array.isArray(command.inherits)) maskAlways(inheritedSecrets(command.inherits, process.env));
    const owned = new OwnedTree({ command: commandLine, cwd: command.cwd, marker, trees, maskText });
    processes.add(owned);
    this.#running.add(owned);
    void owned.treeExited.then(() => this.#running.delete(owned));
    return owned;
  }

  /** A masker for one stream of the attempt with this context (OP1). */
  newStreamMasker(context: Omit<StepContext, "input">): StreamMasker {
    return this.#processOwner(context).attempt.newStreamMasker();
  }

  #processOwner(context: Omit<StepContext, "input">): ProcessOwner {
    const original = DerivedContext.originalOf(context);
    const owner = original instanceof AttemptContext ? original.processOwner() : undefined;
    if (owner?.attempt.marker().startsWith(`${this.#options.storeId}.`) === true) return owner;
    throw new SegnoError(
      "ATTEMPT_NOT_RUNNING",
      "this context is not that of a running attempt of this engine on the main thread; use the context that the agent or the handler got, before it returns",
    );
  }

  /** Kills the processes that run; resolves when they have exited (OP2). */
  async close(): Promise<void> {
    for (const owned of this.#running) owned.kill();
    await Promise.all(Array.from(this.#running, ({ treeExited }) => treeExited));
  }
}
