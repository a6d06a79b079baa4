// One attempt of a command. The main process is the one that this file spawns; it may start further processes.
//
//   CM1. When the main process has exited, its pipes get a moment to close, and the outcome is decided. Then all
//        remaining processes of its group, or with its marker, are terminated (CANCEL-2). The attempt ends only after
//        that, so the next step never runs beside them.
//   CM2. The attempt exits after it has ended, when its process record is removed from the store.
//   CM3. If the attempt is aborted, its process group gets SIGTERM, once. If it is force-stopped, its processes are
//        killed, and it does not end. Other attempts wait for its exit, so the exit has a bound: it does not wait for
//        a main process that SIGKILL does not terminate, such as one of another user.
//   CM4. The bytes of stdout and stderr are forwarded as they arrive; the outcome keeps only the last bytes of each
//        stream. They are masked before they are cut: a cut could leave half a secret (DATA-9).

import { spawn, type ChildProcess } from "node:child_process";
import type { Outcome } from "@segno/kernel";
import type { ProcessRecords } from "../../store/process-records.ts";
import { outcomeOfError } from "../attempt-outcome.ts";
import type { Attempt, AttemptHandle } from "../runner.ts";
import type { ProcessEnv } from "./child-env.ts";
import { toCommandLine, type CommandLine } from "./command-line.ts";
import { cancelledOutcome, failedOutcome, outcomeOfExit } from "./command-outcome.ts";
import { killOnExit, cancelKillOnExit } from "./exit-guard.ts";
import { terminateRemaining } from "./terminate-remaining.ts";
import { ProcessGroup } from "./process-group.ts";
import { ProcessRecordWriter } from "./process-record-writer.ts";
import type { RecentProcesses } from "./recent-processes.ts";
import { outcomeOfSpawnError } from "./spawn-failure.ts";
import type { ProcessFinder } from "./process-finder.ts";
import { StreamTail } from "./stream-tail.ts";

/** The processes of all commands of a runner. */
export interface CommandProcesses {
  readonly finder: ProcessFinder;
  readonly recent: RecentProcesses;
  /** The pids of the main processes of all running commands. */
  readonly mainPids: Set<number>;
}

/** Shared by all commands of a runner. */
export interface SharedByCommands {
  readonly cwd: string;
  readonly graceMs: number;
  readonly processes: CommandProcesses;
  readonly records: ProcessRecords | undefined;
  readonly report: (error: unknown) => void;
  /** Called when the attempt has exited (CM2). */
  readonly onExited: (command: CommandAttempt) => void;
}

interface MainProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const OUTPUT_BYTES_MAX = 1024 * 1024;
/** How long pipes may stay open after the main process has exited (CM1). */
const PIPES_OPEN_MS = 100;
/** How long the main process may take to exit after SIGKILL before the others are terminated without it (CM3). */
const KILLED_MS = 1000;

/** The system assigns pids in sequence, so it does not reuse one within this time. */
const PIDS_DISTINCT_MS = 1000;

export class CommandAttempt implements AttemptHandle {
  readonly #attempt: Attempt;
  readonly #shared: SharedByCommands;
  readonly #stdout = new StreamTail(OUTPUT_BYTES_MAX);
  readonly #stderr = new StreamTail(OUTPUT_BYTES_MAX);
  /** Each one forwards the bytes that the mask of a stream still holds back. */
  readonly #maskFlushes: (() => void)[] = [];
  readonly #maskText = (text: string): string => this.#attempt.maskText(text);
  #marker = "";
  #child: ChildProcess | undefined;
  #group: ProcessGroup | undefined;
  #record: ProcessRecordWriter | undefined;
  #mainProcessExit: MainProcessExit | undefined;
  #timer: NodeJS.Timeout | undefined;
  #abortReason: string | undefined;
  #startedAt = 0;
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
    const prepared = this.#prepare(inherited);
    if (prepared.kind === "command") this.#spawn(prepared);
    else this.#onOutcomeDecided(prepared);
  }

  #prepare(inherited: ProcessEnv): CommandLine | Outcome {
    try {
      this.#marker = this.#attempt.marker();
      const command = toCommandLine(this.#attempt, inherited, this.#marker);
      return command.kind === "command" ? command : failedOutcome("permanent", "COMMAND_INVALID", command.message);
    } catch (error) {
      return outcomeOfError(error, { isAborted: false, maskText: this.#maskText });
    }
  }

  abort(force: boolean, reason: string): void {
    if (!force && this.#abortReason === undefined) this.#group?.signal("SIGTERM");
    this.#abortReason ??= reason;
    if (!force) return;
    this.#isForceStopped = true;
    this.#group?.signal("SIGKILL");
    if (this.#group === undefined || this.#isOutcomeDecided) return;
    this.#readStreamsWithin(this.#mainProcessExit === undefined ? KILLED_MS : 0);
  }

  #spawn(command: CommandLine): void {
    const { cwd } = this.#shared;
    const { file } = command;
    const maskText = this.#maskText;
    try {
      this.#child = spawnCommand(command, cwd);
    } catch (error) {
      return this.#onOutcomeDecided(outcomeOfSpawnError({ error, file, cwd, maskText }));
    }
    if (this.#child.pid === undefined)
      this.#child.once("error", (error) => this.#onOutcomeDecided(outcomeOfSpawnError({ error, file, cwd, maskText })));
    else this.#track(this.#child, this.#child.pid);
  }

  #track(child: ChildProcess, pid: number): void {
    const { records, report } = this.#shared;
    const marker = this.#marker;
    this.#startedAt = performance.now();
    this.#group = new ProcessGroup(pid);
    this.#shared.processes.mainPids.add(pid);
    killOnExit(this.#group, this.#marker);
    if (records !== undefined) this.#record = new ProcessRecordWriter({ records, marker, pid, report });
    this.#listen(child, "stdout", this.#stdout);
    this.#listen(child, "stderr", this.#stderr);
    child.on("error", report);
    child.once("exit", (code, signal) => this.#onMainProcessExit({ code, signal }));
    child.once("close", () => this.#onStreamsRead());
  }

  #listen(child: ChildProcess, stream: "stdout" | "stderr", tail: StreamTail): void {
    const mask = this.#attempt.maskStream();
    const forward = (chunk: Uint8Array): void => {
      if (chunk.length === 0) return;
      tail.write(chunk);
      this.#attempt.writeStream(stream, chunk);
    };
    child[stream]!.on("error", this.#shared.report);
    child[stream]!.on("data", (chunk: Buffer) => {
      // Remaining processes may write while they clean up; closing the pipe would kill them.
      if (!this.#isOutcomeDecided) forward(mask.write(chunk));
    });
    this.#maskFlushes.push(() => forward(mask.end()));
  }

  #onMainProcessExit(exit: MainProcessExit): void {
    this.#mainProcessExit = exit;
    this.#record?.cancelWrite();
    // The group must be checked now: once it is empty, the system may reuse its id.
    this.#group?.signal(0);
    this.#readStreamsWithin(this.#isForceStopped ? 0 : PIPES_OPEN_MS);
  }

  /** Bytes already in the pipes are still read when the time is over. */
  #readStreamsWithin(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => setImmediate(() => this.#onStreamsRead()), ms);
  }

  /** Both pipes are closed, or the time is over. */
  #onStreamsRead(): void {
    if (this.#isOutcomeDecided) return;
    clearTimeout(this.#timer);
    for (const flush of this.#maskFlushes) flush();
    this.#onOutcomeDecided(this.#outcome());
  }

  #outcome(): Outcome {
    const maskText = this.#maskText;
    if (this.#mainProcessExit === undefined) return cancelledOutcome(this.#abortReason ?? "it was killed", maskText);
    return outcomeOfExit({
      ...this.#mainProcessExit,
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
    const group = this.#group;
    if (group === undefined || this.#hasNoProcesses(group)) this.#end(outcome);
    else void this.#endAfterTermination(outcome, group);
  }

  /** True only if it is certain that no process of the attempt is left; false means that a full scan has to decide. */
  #hasNoProcesses(group: ProcessGroup): boolean {
    const { recent, mainPids } = this.#shared.processes;
    if (this.#isForceStopped || performance.now() - this.#startedAt > PIDS_DISTINCT_MS) return false;
    return group.hasNoMembers() && recent.hasNoneSince(group.leader, this.#marker, mainPids);
  }

  async #endAfterTermination(outcome: Outcome, group: ProcessGroup): Promise<void> {
    const { graceMs, processes, report } = this.#shared;
    const { finder } = processes;
    const isForceStopped = (): boolean => this.#isForceStopped;
    if (!this.#isForceStopped) this.#attempt.stopDeadline();
    await terminateRemaining({ group, marker: this.#marker, finder, graceMs, isForceStopped, report });
    this.#end(outcome);
  }

  #end(outcome: Outcome): void {
    if (this.#group !== undefined) {
      cancelKillOnExit(this.#group);
      this.#shared.processes.mainPids.delete(this.#group.leader);
    }
    if (!this.#isForceStopped) this.#attempt.onEnded(outcome);
    void this.#markExited();
  }

  async #markExited(): Promise<void> {
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    // Before `onExited`: the store may be closed after it.
    await this.#record?.remove();
    this.#attempt.onExited();
    this.#shared.onExited(this);
  }
}

/** Its own process group, no terminal, no stdin, and pipes for stdout and stderr. */
function spawnCommand({ file, args, env }: CommandLine, cwd: string): ChildProcess {
  return spawn(file, args, {
    cwd,
    env,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}
