// The process runner runs steps that are commands (`run` and `exec`).
//
//   PR1. An attempt ends once, and exits once, when none of its processes runs (`command.ts`).
//   PR2. Processes are never started during a turn: those that a turn starts are started together after it.
//   PR3. No process outlives the runner: `close` kills the running ones, and if this process exits without `close`, the
//        exit guard does (`exit-guard.ts`).

import type { Environment } from "../../clock/environment.ts";
import type { ProcessRecords } from "../../store/process-records.ts";
import type { Attempt, Runner, RunningAttempt } from "../runner.ts";
import { INHERITED_VARIABLES, inheritedVariables } from "./child-variables.ts";
import { RunningCommand, type CommandContext } from "./command.ts";
import { RecentProcesses } from "./recent-processes.ts";
import { ProcessFinder } from "./process-finder.ts";

export interface ProcessRunnerOptions {
  /** The engine's clock and task queue, not environment variables. */
  readonly environment: Environment;
  /** The working directory of commands. */
  readonly cwd: string;
  /** The environment variables of this process that commands inherit; a trailing `*` matches any suffix. */
  readonly inherit?: readonly string[];
  /** Records processes for the next owner of the store. */
  readonly records?: ProcessRecords | undefined;
  /** How long remaining processes have to end by themselves. */
  readonly graceMs?: number;
  readonly report: (error: unknown) => void;
}

const GRACE_MS = 1000;
/** A process that even the system cannot end must not keep the engine from closing. */
const CLOSING_MS = 10_000;

export class ProcessRunner implements Runner {
  readonly #environment: Environment;
  readonly #inherit: readonly string[];
  readonly #context: CommandContext;
  readonly #commands = new Set<RunningCommand>();
  #pending: RunningCommand[] = [];
  #idleResolvers: (() => void)[] = [];
  #isClosed = false;

  constructor(options: ProcessRunnerOptions) {
    const { environment, cwd, inherit = INHERITED_VARIABLES, records, graceMs = GRACE_MS, report } = options;
    this.#environment = environment;
    this.#inherit = inherit;
    const processes = { finder: new ProcessFinder(), recent: new RecentProcesses(), leaders: new Set<number>() };
    this.#context = { processes, cwd, graceMs, records, report, onExited: (command) => this.#onExited(command) };
  }

  /**
   * Spawning takes longer than most turns, so other commands exit meanwhile, and their exits arrive in the next tick or
   * the one after. One commit for two exits is worth more than an earlier commit.
   */
  get commitDelayTicks(): number {
    return this.#commands.size > 1 ? 2 : 0;
  }

  start(attempt: Attempt): RunningAttempt {
    const command = new RunningCommand(attempt, this.#context);
    if (this.#commands.size === 0) this.#context.processes.finder.assumeNoneRunning();
    this.#commands.add(command);
    if (this.#isClosed) command.abort(true, "the engine is closed");
    if (this.#pending.push(command) === 1) this.#environment.soon(() => this.#startPending());
    return command;
  }

  #startPending(): void {
    const commands = this.#pending;
    this.#pending = [];
    const inherited = inheritedVariables(this.#inherit, process.env);
    for (const command of commands) command.begin(inherited);
  }

  #onExited(command: RunningCommand): void {
    this.#commands.delete(command);
    if (this.#commands.size === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }

  async idle(): Promise<void> {
    if (this.#commands.size > 0) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const command of this.#commands) command.abort(true, "the engine is closing");
    await this.#idleWithTimeout();
  }

  async #idleWithTimeout(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSING_MS);
    await Promise.race([this.idle(), promise]);
    clearTimeout(timer);
    if (this.#commands.size > 0) this.#context.report(new Error("a command does not end, although it was killed"));
  }
}
