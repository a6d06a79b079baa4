// The process runner runs steps that are commands (`run` and `exec`).
//
//   PR1. An attempt ends and exits when none of its processes runs (`command.ts`).
//   PR2. Processes are never started during a turn: those that a turn starts are started together after it.
//   PR3. No process outlives the runner: `close` kills the running ones. If this process exits without `close`, the exit
//        guard kills them (`exit-guard.ts`).

import type { EventLoop } from "../../clock/system-ports.ts";
import type { Attempt, Runner, AttemptHandle } from "../runner.ts";
import { endsWithin } from "../time-limit.ts";
import { INHERITED_ENV_NAMES, inheritedEnv } from "./child-env.ts";
import { CommandAttempt, type SharedByCommands } from "./command.ts";
import type { SharedByTrees } from "./shared-by-trees.ts";

export interface ProcessRunnerOptions {
  /** Schedules callbacks. */
  readonly eventLoop: EventLoop;
  /** The working directory of commands. */
  readonly cwd: string;
  /** Names of the environment variables that commands inherit; a trailing `*` matches any suffix. */
  readonly inheritedNames?: readonly string[];
  readonly trees: SharedByTrees;
}

/** A process that even SIGKILL does not terminate must not keep the engine from closing. */
const CLOSING_MS = 10_000;

export class ProcessRunner implements Runner {
  readonly #eventLoop: EventLoop;
  readonly #inheritedNames: readonly string[];
  readonly #shared: SharedByCommands;
  readonly #commands = new Set<CommandAttempt>();
  #pending: CommandAttempt[] = [];
  #idleResolvers: (() => void)[] = [];
  #isClosed = false;

  constructor(options: ProcessRunnerOptions) {
    const { eventLoop, cwd, inheritedNames = INHERITED_ENV_NAMES, trees } = options;
    this.#eventLoop = eventLoop;
    this.#inheritedNames = inheritedNames;
    this.#shared = { cwd, trees, onExited: (command) => this.#onExited(command) };
  }

  /**
   * Spawning takes longer than most turns, so other commands exit meanwhile, and their exits arrive in the next tick or
   * the one after. One commit for two exits is worth more than an earlier commit.
   */
  get commitDelayTicks(): number {
    return this.#commands.size > 1 ? 2 : 0;
  }

  start(attempt: Attempt): AttemptHandle {
    const command = new CommandAttempt(attempt, this.#shared);
    if (this.#commands.size === 0) this.#shared.trees.assumeAllUnmarked();
    this.#commands.add(command);
    if (this.#isClosed) command.abort(true, "the engine is closed");
    if (this.#pending.push(command) === 1) this.#eventLoop.callSoon(() => this.#runPending());
    return command;
  }

  #runPending(): void {
    const commands = this.#pending;
    this.#pending = [];
    const inherited = inheritedEnv(this.#inheritedNames, process.env);
    for (const command of commands) command.run(inherited);
  }

  #onExited(command: CommandAttempt): void {
    this.#commands.delete(command);
    if (this.#commands.size === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }

  async idle(): Promise<void> {
    if (this.#commands.size > 0) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const command of this.#commands) command.abort(true, "the engine is closing");
    if (!(await endsWithin(this.idle(), CLOSING_MS)))
      this.#shared.trees.report(new Error("a command does not exit, although it was killed"));
  }
}
