// One attempt as a process of its own, from its start until nothing of it runs any more.
//
//   C1. When its main process has exited, its pipes have a moment to close. Whatever still runs then, of its group or with
//       its marker, is ended (CANCEL-2). Only then the attempt ends: what comes next never runs beside what it left behind.
//   C2. It has settled when it has ended and nothing is noted about it any more.
//   C3. Told to stop, it gets SIGTERM, once, with its whole group. Given up, it is killed; how it ends counts for nothing.
//   C4. What it writes is passed on as it comes; of each stream only the last bytes are kept for the outcome. They are
//       masked before they are cut, or half a secret could be left (DATA-9).

import { spawn, type ChildProcess } from "node:child_process";
import type { Outcome } from "@segno/kernel";
import type { ProcessTable } from "../../store/process-table.ts";
import { outcomeOfError } from "../function-outcome.ts";
import type { Attempt, RunningAttempt } from "../runner.ts";
import type { ProcessVariables } from "./child-environment.ts";
import { toCommandLine, type CommandLine } from "./command-line.ts";
import { cancelledOutcome, failedOutcome, outcomeOfEnding } from "./command-outcome.ts";
import { guard, unguard } from "./exit-guard.ts";
import { terminateRemaining } from "./remaining-processes.ts";
import { ProcessGroup } from "./process-group.ts";
import { ProcessRecord } from "./process-record.ts";
import type { RecentProcesses } from "./recent-processes.ts";
import { outcomeOfRefusal } from "./spawn-failure.ts";
import type { ProcessFinder } from "./process-finder.ts";
import { OutputTail } from "./output-tail.ts";

/** What all commands of a runner have in common. */
export interface CommandContext {
  readonly cwd: string;
  readonly graceMs: number;
  readonly finder: ProcessFinder;
  readonly recent: RecentProcesses;
  /** The pids of all commands that run. */
  readonly leaders: Set<number>;
  readonly table: ProcessTable | undefined;
  readonly report: (error: unknown) => void;
  /** Told when the command has settled. */
  readonly onExited: (command: RunningCommand) => void;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const KEPT_BYTES = 1024 * 1024;
/** How long pipes may stay open after the main process has exited (C1). */
const PIPES_OPEN_MS = 100;

/** Pids cannot come round within this time. */
const PIDS_DISTINCT_MS = 1000;

export class RunningCommand implements RunningAttempt {
  readonly #attempt: Attempt;
  readonly #context: CommandContext;
  readonly #stdout = new OutputTail(KEPT_BYTES);
  readonly #stderr = new OutputTail(KEPT_BYTES);
  /** Let go what masks still hold back. */
  readonly #held: (() => void)[] = [];
  #marker = "";
  #child: ChildProcess | undefined;
  #group: ProcessGroup | undefined;
  #record: ProcessRecord | undefined;
  #exit: Exit | undefined;
  #timer: NodeJS.Timeout | undefined;
  #abortReason: string | undefined;
  #startedAt = 0;
  #isAbandoned = false;
  #isOver = false;

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
      return this.#finish(outcomeOfRefusal({ error, file, cwd }));
    }
    if (this.#child.pid === undefined)
      this.#child.once("error", (error) => this.#finish(outcomeOfRefusal({ error, file, cwd })));
    else this.#watch(this.#child, this.#child.pid);
  }

  #watch(child: ChildProcess, pid: number): void {
    const { table, report } = this.#context;
    const marker = this.#marker;
    this.#startedAt = performance.now();
    this.#group = new ProcessGroup(pid);
    this.#context.leaders.add(pid);
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
    const pass = (chunk: Uint8Array): void => {
      if (chunk.length === 0) return;
      tail.write(chunk);
      this.#attempt.wrote(stream, chunk);
    };
    child[stream]!.on("error", this.#context.report);
    child[stream]!.on("data", (chunk: Buffer) => {
      // What is left behind may still write while it cleans up: a pipe that nobody reads would kill it.
      if (!this.#isOver) pass(mask.write(chunk));
    });
    this.#held.push(() => pass(mask.end()));
  }

  #onExit(exit: Exit): void {
    this.#exit = exit;
    this.#record?.skip();
    // Seen now or never: once the group is empty, its number is free for others.
    this.#group?.signal(0);
    this.#drainWithin(this.#isAbandoned ? 0 : PIPES_OPEN_MS);
  }

  /** What is in the pipes by then is read before the time is called over. */
  #drainWithin(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => setImmediate(() => this.#onDrained()), ms);
  }

  #onDrained(): void {
    if (this.#isOver || this.#exit === undefined) return;
    clearTimeout(this.#timer);
    for (const release of this.#held) release();
    this.#finish(
      outcomeOfEnding({
        ...this.#exit,
        stdout: this.#stdout,
        stderr: this.#stderr,
        retriedExitCodes: this.#attempt.retriedExitCodes,
        abortReason: this.#abortReason,
      }),
    );
  }

  #finish(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const group = this.#group;
    if (group === undefined || this.#isAlone(group)) this.#end(outcome);
    else void this.#endAlone(outcome, group);
  }

  /** Whether nothing that it started still runs, as far as that can be told at once. */
  #isAlone(group: ProcessGroup): boolean {
    const { recent, leaders } = this.#context;
    if (this.#isAbandoned || performance.now() - this.#startedAt > PIDS_DISTINCT_MS) return false;
    return group.isGone() && recent.isClear(group.leader, this.#marker, leaders);
  }

  async #endAlone(outcome: Outcome, group: ProcessGroup): Promise<void> {
    const { graceMs, finder, report } = this.#context;
    const isForced = (): boolean => this.#isAbandoned;
    if (!this.#isAbandoned) this.#attempt.cleaning();
    await terminateRemaining({ group, marker: this.#marker, finder, graceMs, isForced, report });
    this.#end(outcome);
  }

  #end(outcome: Outcome): void {
    if (this.#group !== undefined) {
      unguard(this.#group);
      this.#context.leaders.delete(this.#group.leader);
    }
    if (!this.#isAbandoned) this.#attempt.end(outcome);
    void this.#onGone();
  }

  async #onGone(): Promise<void> {
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    // Before it has settled: a store that is closed then has nothing left to be told.
    await this.#record?.remove();
    this.#attempt.onExited();
    this.#context.onExited(this);
  }
}

/** Its own group, no terminal, nothing to read, and two streams to write to. */
function spawnCommand({ file, args, variables }: CommandLine, cwd: string): ChildProcess {
  return spawn(file, args, {
    cwd,
    env: variables,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}
