// One attempt of a command: a process tree (`spawned-tree.ts`), its output and its outcome.
//
//   CM1. When the main process is done, the outcome is decided. Then all remaining processes of the tree are terminated
//        (CANCEL-2). The attempt ends only after that, so the next step never runs beside them.
//   CM2. The attempt exits after it has ended, when its process record is removed or kept (PT4 in `spawned-tree.ts`).
//   CM3. If the attempt is aborted, its process group gets SIGTERM, once. If it is force-stopped, its processes are
//        killed, and it does not end. Other attempts wait for its exit, so the exit has a bound (PT3 in
//        `spawned-tree.ts`).
//   CM4. The bytes of stdout and stderr are forwarded as they arrive; the outcome keeps only the last bytes of each
//        stream. They are masked before they are cut: a cut could leave half a secret (DATA-9).

import type { ChildProcess } from "node:child_process";
import { resolve } from "node:path";
import type { Outcome } from "@segno/kernel";
import { outcomeOfError } from "../attempt-outcome.ts";
import type { Attempt, AttemptHandle } from "../runner.ts";
import type { ProcessEnv } from "./child-env.ts";
import { toCommandLine, type CommandLine } from "./command-line.ts";
import { cancelledOutcome, failedOutcome, outcomeOfExit } from "./command-outcome.ts";
import { SpawnedTree, type MainExit } from "./spawned-tree.ts";
import type { SharedByTrees } from "./shared-by-trees.ts";
import { outcomeOfSpawnError } from "./spawn-failure.ts";
import { ProgressLines } from "./progress-lines.ts";
import { StreamTail } from "./stream-tail.ts";

/** Shared by all commands of a runner. */
export interface SharedByCommands {
  readonly cwd: string;
  readonly trees: SharedByTrees;
  /** Called when the attempt has exited (CM2). */
  readonly onExited: (command: CommandAttempt) => void;
}

const OUTPUT_BYTES_MAX = 1024 * 1024;
/** The errors of a pipe that nobody reads any more. */
const INPUT_CLOSED: ReadonlySet<unknown> = new Set(["EPIPE", "ECONNRESET", "EOF", "ERR_STREAM_DESTROYED"]);

export class CommandAttempt implements AttemptHandle {
  readonly #attempt: Attempt;
  readonly #shared: SharedByCommands;
  readonly #stdout = new StreamTail(OUTPUT_BYTES_MAX);
  readonly #stderr = new StreamTail(OUTPUT_BYTES_MAX);
  /** Each one forwards the bytes that the mask of a stream still holds back. */
  readonly #maskFlushes: (() => void)[] = [];
  readonly #progressLines = new ProgressLines((progress) => this.#attempt.reportProgress(progress));
  readonly #maskText = (text: string): string => this.#attempt.maskText(text);
  #tree: SpawnedTree | undefined;
  #abortReason: string | undefined;
  #isForceStopped = false;
  #isOutcomeDecided = false;

  constructor(attempt: Attempt, shared: SharedByCommands) {
    this.#attempt = attempt;
    this.#shared = shared;
  }

  run(inherited: ProcessEnv): void {
    if (!this.#attempt.isCurrent()) this.#abortReason ??= "the attempt was aborted before it began";
    if (this.#abortReason !== undefined)
      return this.#onOutcomeDecided(cancelledOutcome(this.#abortReason, this.#maskText));
    try {
      this.#buildAndSpawn(inherited);
    } catch (error) {
      this.#onOutcomeDecided(outcomeOfError(error, { isAborted: false, maskText: this.#maskText }));
    }
  }

  #buildAndSpawn(inherited: ProcessEnv): void {
    const marker = this.#attempt.marker();
    const command = toCommandLine(this.#attempt, inherited, marker);
    if (command.kind === "command") this.#spawn(command, marker);
    else this.#onOutcomeDecided(failedOutcome("permanent", "COMMAND_INVALID", command.message));
  }

  abort(force: boolean, reason: string): void {
    if (!force && this.#abortReason === undefined) this.#tree?.askToStop();
    this.#abortReason ??= reason;
    if (!force) return;
    this.#isForceStopped = true;
    this.#tree?.kill();
  }

  #spawn(command: CommandLine, marker: string): void {
    const { trees } = this.#shared;
    const { file, stdin } = command;
    const cwd = resolve(this.#shared.cwd, command.cwd ?? "");
    const maskText = this.#maskText;
    const listener = {
      onNotStarted: (error: unknown) => this.#onOutcomeDecided(outcomeOfSpawnError({ error, file, cwd, maskText })),
      onMainDone: (exit: MainExit | undefined) => this.#onMainDone(exit),
    };
    this.#tree = new SpawnedTree({
      command,
      cwd,
      marker,
      stdin: stdin === undefined ? "ignore" : "pipe",
      trees,
      listener,
    });
    const child = this.#tree.spawn();
    if (child === undefined) return;
    if (stdin !== undefined) this.#writeInput(child, stdin);
    this.#listen(child, "stdout", this.#stdout);
    this.#listen(child, "stderr", this.#stderr);
  }

  /** A command may end without reading its input; that is not a fault. */
  #writeInput(child: ChildProcess, text: string): void {
    child.stdin!.on("error", (error: NodeJS.ErrnoException) => {
      if (!INPUT_CLOSED.has(error.code)) this.#shared.trees.report(error);
    });
    child.stdin!.end(text);
  }

  #listen(child: ChildProcess, stream: "stdout" | "stderr", tail: StreamTail): void {
    const mask = this.#attempt.newStreamMasker();
    const lines = stream === "stdout" ? this.#progressLines : undefined;
    const forward = (masked: Uint8Array, isLast = false): void => {
      const chunk = lines === undefined ? masked : lines.filter(masked, isLast);
      if (chunk.length === 0) return;
      tail.write(chunk);
      this.#attempt.writeStream(stream, chunk);
    };
    child[stream]!.on("error", this.#shared.trees.report);
    child[stream]!.on("data", (chunk: Buffer) => {
      // Remaining processes may write while they clean up; closing the pipe would kill them.
      if (!this.#isOutcomeDecided) forward(mask.write(chunk));
    });
    this.#maskFlushes.push(() => forward(mask.end(), true));
  }

  #onMainDone(exit: MainExit | undefined): void {
    for (const flush of this.#maskFlushes) flush();
    this.#onOutcomeDecided(this.#outcome(exit));
  }

  #outcome(exit: MainExit | undefined): Outcome {
    const maskText = this.#maskText;
    if (exit === undefined) return cancelledOutcome(this.#abortReason ?? "it was killed", maskText);
    return outcomeOfExit({
      ...exit,
      stdout: this.#stdout,
      stderr: this.#stderr,
      retriedExitCodes: this.#attempt.retriedExitCodes,
      abortReason: this.#abortReason,
      maskText,
    });
  }

  /** The attempt ends when none of its processes is left (CM1). */
  #onOutcomeDecided(outcome: Outcome): void {
    if (this.#isOutcomeDecided) return;
    this.#isOutcomeDecided = true;
    if (this.#tree === undefined || this.#tree.isGone()) this.#end(outcome);
    else void this.#endAfterTermination(outcome, this.#tree);
  }

  async #endAfterTermination(outcome: Outcome, tree: SpawnedTree): Promise<void> {
    if (!this.#isForceStopped) this.#attempt.dropDeadline();
    await tree.terminate();
    this.#end(outcome);
  }

  #end(outcome: Outcome): void {
    this.#tree?.release();
    if (!this.#isForceStopped) this.#attempt.onEnded(outcome);
    void this.#markExited();
  }

  async #markExited(): Promise<void> {
    this.#tree?.closePipes();
    // Before `onExited`: the store may be closed after it.
    await this.#tree?.removeOrKeepRecord();
    this.#attempt.onExited();
    this.#shared.onExited(this);
  }
}
