// One attempt as a process of its own, from its start until none of its processes runs.
//
//   C1. When the main process has exited, its pipes get a moment to close. Then all remaining processes of its group,
//       or with its marker, are terminated (CANCEL-2). The attempt ends only after that, so the next step never runs
//       beside them.
//   C2. The attempt has exited when it has ended and its record is removed from the process table.
//   C3. An aborted attempt gets SIGTERM once, with its whole group. An abandoned attempt is killed, and its exit is
//       ignored.
//   C4. Output is forwarded as it arrives; the outcome keeps only the last bytes of each stream. Output is masked
//       before it is cut: a cut could leave half a secret (DATA-9).

import { spawn, type ChildProcess } from "node:child_process";
import type { Outcome } from "@segno/kernel";
import type { ProcessTable } from "../../store/process-table.ts";
import { outcomeOfError } from "../function-outcome.ts";
import type { Attempt, RunningAttempt } from "../runner.ts";
import type { ProcessVariables } from "./child-environment.ts";
import { toCommandLine, type CommandLine } from "./command-line.ts";
import { cancelledOutcome, failedOutcome, outcomeOfExit } from "./command-outcome.ts";
import { guard, unguard } from "./exit-guard.ts";
import { terminateRemaining } from "./remaining-processes.ts";
import { ProcessGroup } from "./process-group.ts";
import { ProcessRecord } from "./process-record.ts";
import type { RecentProcesses } from "./recent-processes.ts";
import { outcomeOfSpawnError } from "./spawn-failure.ts";
import type { ProcessFinder } from "./process-finder.ts";
import { OutputTail } from "./output-tail.ts";

/** The processes of all commands of a runner. */
export interface CommandProcesses {
  readonly finder: ProcessFinder;
  readonly recent: RecentProcesses;
  /** The pids of all running commands. */
  readonly leaders: Set<number>;
}

/** Shared by all commands of a runner. */
export interface CommandContext {
  readonly cwd: string;
  readonly graceMs: number;
  readonly processes: CommandProcesses;
  readonly table: ProcessTable | undefined;
  readonly report: (error: unknown) => void;
  /** Called when the command has exited (C2). */
  readonly onExited: (command: RunningCommand) => void;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const KEPT_BYTES = 1024 * 1024;
/** How long pipes may stay open after the main process has exited (C1). */
const PIPES_OPEN_MS = 100;

/** The system does not reuse a pid within this time. */
const PIDS_DISTINCT_MS = 1000;

export class RunningCommand implements RunningAttempt {
  readonly #attempt: Attempt;
  readonly #context: CommandContext;
  readonly #stdout = new OutputTail(KEPT_BYTES);
  readonly #stderr = new OutputTail(KEPT_BYTES);
  /** Forward the bytes that the masks still hold back. */
  readonly #maskFlushes: (() => void)[] = [];
  #marker = "";
  #child: ChildProcess | undefined;
  #group: ProcessGroup | undefined;
  #record: ProcessRecord | undefined;
  #exit: Exit | undefined;
  #timer: NodeJS.Timeout | undefined;
  #abortReason: string | undefined;
  #startedAt = 0;
  #isAbandoned = false;
  #hasFinished = false;

  constructor(attempt: Attempt, context: CommandContext) {
    this.#attempt = attempt;
    this.#context = context;
  }

  begin(inherited: ProcessVariables): void {
    if (!this.#attempt.isCurrent()) this.#abortReason ??= "it was stopped before it began";
    if (this.#abortReason !== undefined) return this.#finish(cancelledOutcome(this.#abortReason));
    const prepared = this.#prepare(inherited);
    if (prepared.kind === "command") this.#spawn(prepared);
    else this.#finish(prepared);
  }

  #prepare(inherited: ProcessVariables): CommandLine | Outcome {
    try {
      this.#marker = this.#attempt.marker();
      const command = toCommandLine(this.#attempt, inherited, this.#marker);
      return command.kind === "command" ? command : failedOutcome("permanent", "COMMAND_INVALID", command.message);
    } catch (error) {
      return outcomeOfError(error, { isAborted: false });
    }
  }

  abort(force: boolean, reason: string): void {
    if (!force && this.#abortReason === undefined) this.#group?.signal("SIGTERM");
    this.#abortReason ??= reason;
    if (!force) return;
    this.#isAbandoned = true;
    this.#group?.signal("SIGKILL");
    if (this.#exit !== undefined) this.#drainWithin(0);
  }

  #spawn(command: CommandLine): void {
    const { cwd } = this.#context;
    const { file } = command;
    try {
      this.#child = spawnCommand(command, cwd);
    } catch (error) {
      return this.#finish(outcomeOfSpawnError({ error, file, cwd }));
    }
    if (this.#child.pid === undefined)
      this.#child.once("error", (error) => this.#finish(outcomeOfSpawnError({ error, file, cwd })));
    else this.#track(this.#child, this.#child.pid);
  }

  #track(child: ChildProcess, pid: number): void {
    const { table, report } = this.#context;
    const marker = this.#marker;
    this.#startedAt = performance.now();
    this.#group = new ProcessGroup(pid);
    this.#context.processes.leaders.add(pid);
    guard(this.#group, this.#marker);
    if (table !== undefined) this.#record = new ProcessRecord({ table, marker, pid, report });
    this.#listen(child, "stdout", this.#stdout);
    this.#listen(child, "stderr", this.#stderr);
    child.on("error", report);
    child.once("exit", (code, signal) => this.#onExit({ code, signal }));
    child.once("close", () => this.#onDrained());
  }

  #listen(child: ChildProcess, stream: "stdout" | "stderr", tail: OutputTail): void {
    const mask = this.#attempt.maskStream();
    const forward = (chunk: Uint8Array): void => {
      if (chunk.length === 0) return;
      tail.write(chunk);
      this.#attempt.writeOutput(stream, chunk);
    };
    child[stream]!.on("error", this.#context.report);
    child[stream]!.on("data", (chunk: Buffer) => {
      // Remaining processes may write while they clean up; closing the pipe would kill them.
      if (!this.#hasFinished) forward(mask.write(chunk));
    });
    this.#maskFlushes.push(() => forward(mask.end()));
  }

  #onExit(exit: Exit): void {
    this.#exit = exit;
    this.#record?.skip();
    // The group must be checked now: once it is empty, the system may reuse its id.
    this.#group?.signal(0);
    this.#drainWithin(this.#isAbandoned ? 0 : PIPES_OPEN_MS);
  }

  /** Bytes already in the pipes are still read when the time is over. */
  #drainWithin(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => setImmediate(() => this.#onDrained()), ms);
  }

  #onDrained(): void {
    if (this.#hasFinished || this.#exit === undefined) return;
    clearTimeout(this.#timer);
    for (const flush of this.#maskFlushes) flush();
    this.#finish(
      outcomeOfExit({
        ...this.#exit,
        stdout: this.#stdout,
        stderr: this.#stderr,
        retriedExitCodes: this.#attempt.retriedExitCodes,
        abortReason: this.#abortReason,
      }),
    );
  }

  #finish(outcome: Outcome): void {
    if (this.#hasFinished) return;
    this.#hasFinished = true;
    const group = this.#group;
    if (group === undefined || this.#hasNoRemaining(group)) this.#end(outcome);
    else void this.#endAfterTermination(outcome, group);
  }

  /** Whether certainly no process of the attempt is left, as far as a quick check can tell. */
  #hasNoRemaining(group: ProcessGroup): boolean {
    const { recent, leaders } = this.#context.processes;
    if (this.#isAbandoned || performance.now() - this.#startedAt > PIDS_DISTINCT_MS) return false;
    return group.isGone() && recent.isClear(group.leader, this.#marker, leaders);
  }

  async #endAfterTermination(outcome: Outcome, group: ProcessGroup): Promise<void> {
    const { graceMs, processes, report } = this.#context;
    const { finder } = processes;
    const isForced = (): boolean => this.#isAbandoned;
    if (!this.#isAbandoned) this.#attempt.onCleanup();
    await terminateRemaining({ group, marker: this.#marker, finder, graceMs, isForced, report });
    this.#end(outcome);
  }

  #end(outcome: Outcome): void {
    if (this.#group !== undefined) {
      unguard(this.#group);
      this.#context.processes.leaders.delete(this.#group.leader);
    }
    if (!this.#isAbandoned) this.#attempt.end(outcome);
    void this.#cleanUp();
  }

  async #cleanUp(): Promise<void> {
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    // Before `onExited`: the store may be closed after it.
    await this.#record?.remove();
    this.#attempt.onExited();
    this.#context.onExited(this);
  }
}

/** Its own process group, no terminal, no stdin, and pipes for stdout and stderr. */
function spawnCommand({ file, args, variables }: CommandLine, cwd: string): ChildProcess {
  return spawn(file, args, {
    cwd,
    env: variables,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}
