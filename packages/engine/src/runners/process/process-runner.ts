// The process runner: steps that are commands (`run` and `exec`).
//
//   R1. An attempt ends once, and settles once, when nothing that it started runs any more (`command.ts`).
//   R2. No process is started in the middle of a turn: those that a turn starts are started together when it is over.
//   R3. Nothing outlives the runner: what still runs when it is closed is killed, and what still runs when this process
//       exits without closing it is killed on the way out (`exit-guard.ts`).

import type { Environment } from "../../clock/environment.ts";
import type { ProcessTable } from "../../store/process-table.ts";
import type { Attempt, Runner, RunningAttempt } from "../runner.ts";
import { INHERITED_VARIABLES, inheritedVariables } from "./child-environment.ts";
import { RunningCommand, type CommandContext } from "./command.ts";
import { RecentProcesses } from "./recent-processes.ts";
import { ProcessFinder } from "./process-finder.ts";

export interface ProcessRunnerOptions {
  readonly environment: Environment;
  /** The folder in which commands run. */
  readonly cwd: string;
  /** Variables of this process's environment that commands get; `*` at the end of a name stands for the rest of it. */
  readonly inherit?: readonly string[];
  /** Where processes are noted for the next owner of the store. */
  readonly table?: ProcessTable | undefined;
  /** What a command left behind has so long to end by itself. */
  readonly graceMs?: number;
  readonly report: (error: unknown) => void;
}

const GRACE_MS = 1000;
/** What the system cannot end does not keep the engine from closing. */
const CLOSING_MS = 10_000;

export class ProcessRunner implements Runner {
  readonly #environment: Environment;
  readonly #inherit: readonly string[];
  readonly #context: CommandContext;
  readonly #commands = new Set<RunningCommand>();
  #starting: RunningCommand[] = [];
  #waiters: (() => void)[] = [];
  #isClosed = false;

  constructor(options: ProcessRunnerOptions) {
    const { environment, cwd, inherit = INHERITED_VARIABLES, table, graceMs = GRACE_MS, report } = options;
    this.#environment = environment;
    this.#inherit = inherit;
    const shared = { finder: new ProcessFinder(), recent: new RecentProcesses(), leaders: new Set<number>() };
    this.#context = { ...shared, cwd, graceMs, table, report, onExited: (command) => this.#onExited(command) };
  }

  /**
   * Starting a process takes longer than most turns, so others end meanwhile; they are heard of in the next turn or the one
   * after it. A commit that comes for two of them is worth more than one that comes a moment sooner.
   */
  get commitDelayTicks(): number {
    return this.#commands.size > 1 ? 2 : 0;
  }

  start(attempt: Attempt): RunningAttempt {
    const command = new RunningCommand(attempt, this.#context);
    if (this.#commands.size === 0) this.#context.finder.begin();
    this.#commands.add(command);
    if (this.#isClosed) command.abort(true, "the engine is closed");
    if (this.#starting.push(command) === 1) this.#environment.soon(() => this.#beginAll());
    return command;
  }

  #beginAll(): void {
    const commands = this.#starting;
    this.#starting = [];
    const inherited = inheritedVariables(this.#inherit, process.env);
    for (const command of commands) command.begin(inherited);
  }

  #onExited(command: RunningCommand): void {
    this.#commands.delete(command);
    if (this.#commands.size === 0) for (const wake of this.#waiters.splice(0)) wake();
  }

  async idle(): Promise<void> {
    if (this.#commands.size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const command of this.#commands) command.abort(true, "the engine closes");
    await this.#idleOrTooLate();
  }

  async #idleOrTooLate(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSING_MS);
    await Promise.race([this.idle(), promise]);
    clearTimeout(timer);
    if (this.#commands.size > 0) this.#context.report(new Error("a command does not end, although it was killed"));
  }
}
