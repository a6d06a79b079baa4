// The main-thread runner calls agents on the thread of the engine (see `runner.ts` for the words ended, exited,
// force-stopped and lingering).
//
//   RM1. An attempt ends once. Results that arrive after it ended or was force-stopped are ignored.
//   RM2. Whatever an agent throws or returns becomes an outcome; it cannot harm the engine.
//   RM3. An agent that ignores its abort signal cannot be stopped. A force-stopped attempt therefore lingers until the
//        agent's promise settles: its result is ignored, `idle` does not wait for it, and `lingering` counts it
//        (CANCEL-2). The promise may never settle, so the runner calls `Agent.abandoned`, where the agent can clean up.
//   RM4. Agents are never called during a turn: the agents that a turn starts are called together after it.
//   RM5. Text that an agent writes to stdout and stderr belongs to its attempt (`console-capture.ts`) until the attempt
//        exits.
//   RM6. An uncaught error from a timer or promise of the agent fails its attempt, if the program's listener for such
//        errors calls `assignToStep` (`console-capture.ts`). The agent's code may still run, so the attempt then lingers
//        (RM3).
//   RM7. Processes that an agent owns (`owned-tree.ts`) run at most as long as its attempt. When the agent returns or
//        fails, they are stopped, and the attempt ends after they have exited. When the attempt is force-stopped, they
//        are killed, and the attempt exits after them.

import { classifyError, type Outcome } from "@segno/kernel";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import { isThenable } from "../checks/thenable.ts";
import type { EventLoop } from "../clock/system-ports.ts";
import type { ConsoleScope, ConsoleCapture } from "../events/console-capture.ts";
import type { Agent } from "../agents/agent.ts";
import { isExpansion } from "../agents/expansion.ts";
import { isSkip } from "../agents/skip.ts";
import { outcomeOfError, outcomeOfValue, type Classify } from "./attempt-outcome.ts";
import type { Attempt, Runner, AttemptHandle } from "./runner.ts";
import { AttemptContext } from "./attempt-context.ts";

/** The time limit of the schemas of agents. */
type SchemaLimit = Pick<CallbackLimit, "awaitResult">;

const UNLIMITED: SchemaLimit = { awaitResult: async (_, result) => result };

export interface MainThreadPorts {
  readonly classify?: Classify;
  readonly capture?: ConsoleCapture | undefined;
  readonly limit?: SchemaLimit;
}

export class MainThreadRunner implements Runner {
  readonly #eventLoop: EventLoop;
  readonly #classify: Classify;
  readonly #capture: ConsoleCapture | undefined;
  readonly #limit: SchemaLimit;
  readonly #counts = new AttemptCounts();
  #pending: MainThreadAttempt[] = [];

  constructor(eventLoop: EventLoop, ports: MainThreadPorts = {}) {
    const { classify = classifyError, capture, limit = UNLIMITED } = ports;
    this.#eventLoop = eventLoop;
    this.#classify = classify;
    this.#capture = capture;
    this.#limit = limit;
  }

  /** The number of lingering attempts (RM3). */
  get lingering(): number {
    return this.#counts.lingering;
  }

  get commitDelayTicks(): number {
    return this.#counts.active > 0 ? 1 : 0;
  }

  start(attempt: Attempt): AttemptHandle {
    const mainThreadAttempt = new MainThreadAttempt(
      attempt,
      { counts: this.#counts, classify: this.#classify, limit: this.#limit },
      this.#capture?.openScope(attempt),
    );
    if (this.#pending.push(mainThreadAttempt) === 1) this.#eventLoop.callSoon(() => this.#runPending());
    return mainThreadAttempt;
  }

  idle(): Promise<void> {
    return this.#counts.idle();
  }

  #runPending(): void {
    const mainThreadAttempts = this.#pending;
    this.#pending = [];
    for (const mainThreadAttempt of mainThreadAttempts)
      mainThreadAttempt.run(mainThreadAttempt.attempt.mainThreadAgent!);
  }
}

class AttemptCounts {
  /** Attempts that have neither exited nor linger; `idle` waits for these only. */
  active = 0;
  lingering = 0;
  #idleResolvers: (() => void)[] = [];

  async idle(): Promise<void> {
    if (this.active > 0) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  removeActive(): void {
    if (--this.active === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }
}

/** The parts of the runner that its attempts use. */
interface SharedParts {
  readonly counts: AttemptCounts;
  readonly classify: Classify;
  readonly limit: SchemaLimit;
}

class MainThreadAttempt implements AttemptHandle {
  readonly attempt: Attempt;
  readonly #context: AttemptContext;
  readonly #counts: AttemptCounts;
  readonly #classify: Classify;
  readonly #limit: SchemaLimit;
  readonly #consoleScope: ConsoleScope | undefined;
  /** "ending": the outcome is known, and the processes that the agent owns have not exited (RM7). */
  #phase: "active" | "ending" | "lingering" | "exited" = "active";
  #hasReturned = false;

  constructor(attempt: Attempt, shared: SharedParts, consoleScope: ConsoleScope | undefined) {
    const { counts, classify, limit } = shared;
    this.attempt = attempt;
    this.#consoleScope = consoleScope;
    if (consoleScope !== undefined) consoleScope.onUncaught = (error) => this.#onUncaught(error);
    this.#context = new AttemptContext(attempt);
    this.#counts = counts;
    this.#classify = classify;
    this.#limit = limit;
    counts.active++;
  }

  run(agent: Agent): void {
    try {
      if (!this.attempt.isCurrent()) this.#context.abort("the attempt was aborted before it began");
      this.#context.throwIfAborted();
      const { span } = this.attempt;
      const result = span === undefined ? this.#call(agent) : span.run(() => this.#call(agent));
      if (isThenable(result)) this.#await(result);
      else this.#onReturned(result);
    } catch (error) {
      this.#onThrown(error);
    }
  }

  #call(agent: Agent): unknown {
    if (this.#consoleScope === undefined) return this.#execute(agent);
    return this.#consoleScope.run(() => this.#executeInScope(agent));
  }

  #execute(agent: Agent): unknown {
    if (agent.checkInput !== undefined) return this.#executeChecked(agent);
    return agent.execute(this.attempt.dependencyOutputs(), this.#context);
  }

  async #executeChecked(agent: Agent): Promise<unknown> {
    await this.#limit.awaitResult("the schema of the input", agent.checkInput!(this.#context));
    this.#context.throwIfAborted();
    return agent.execute(this.attempt.dependencyOutputs(), this.#context);
  }

  /** Some thenables start their work in `then`, so `then` has to be called in the console scope too (RM5). */
  #executeInScope(agent: Agent): unknown {
    const result = this.#execute(agent);
    return isThenable(result) ? Promise.resolve(result) : result;
  }

  abort(force: boolean, reason: string): void {
    if (this.#phase !== "active" && this.#phase !== "ending") return;
    this.#context.abort(reason);
    if (force) this.#linger();
  }

  get processesExited(): Promise<void> | undefined {
    return this.#context.runningProcesses?.exited();
  }

  /** Returns whether the error failed the attempt (RM6). */
  #onUncaught(error: unknown): boolean {
    if (this.#phase !== "active") return false;
    const outcome = this.#toOutcome(error);
    this.#context.abort("an uncaught error failed the attempt");
    this.#endAfterProcesses(outcome);
    return true;
  }

  #linger(): void {
    this.#phase = "lingering";
    this.#counts.lingering++;
    this.#counts.removeActive();
    const processes = this.#context.forbidProcesses();
    processes?.kill();
    void processes?.exited().then(() => this.#exitIfDone());
    void notifyAgent(this.attempt.mainThreadAgent!, this.#context, this.#consoleScope);
  }

  #await(result: PromiseLike<unknown>): void {
    Promise.resolve(result).then(
      (value) => this.#onReturned(value),
      (error: unknown) => this.#onThrown(error),
    );
  }

  /** A schema checks values only: a skip and an expansion have no output yet. */
  #onReturned(value: unknown): void {
    const agent = this.attempt.mainThreadAgent;
    if (agent?.checkOutput === undefined || isSkip(value) || isExpansion(value)) return this.#onValue(value);
    this.#limit.awaitResult("the schema of the output", agent.checkOutput(value)).then(
      (checked) => this.#onValue(checked),
      (error: unknown) => this.#onThrown(error),
    );
  }

  #onValue(value: unknown): void {
    if (!this.#markReturned()) return;
    const maskText = (text: string): string => this.attempt.maskText(text);
    this.#endAfterProcesses(outcomeOfValue(value, { maskText, mayExpand: this.attempt.mainThreadAgent?.mayExpand }));
  }

  #onThrown(error: unknown): void {
    if (this.#markReturned()) this.#endAfterProcesses(this.#toOutcome(error));
  }

  #toOutcome(error: unknown): Outcome {
    const maskText = (text: string): string => this.attempt.maskText(text);
    return outcomeOfError(error, { isAborted: this.#context.isAborted, classify: this.#classify, maskText });
  }

  /** The agent's code has finished. Returns whether the attempt still has to end. */
  #markReturned(): boolean {
    const phase = this.#phase;
    this.#hasReturned = true;
    this.#exitIfDone();
    return phase === "active";
  }

  /** A lingering attempt exits when neither the agent's code nor a process that it owns runs any more (RM7). */
  #exitIfDone(): void {
    if (this.#phase !== "lingering" || !this.#hasReturned || this.#context.runningProcesses !== undefined) return;
    this.#phase = "exited";
    this.#counts.lingering--;
    this.#markExited();
  }

  /** Their termination has a time limit of its own, so the deadline of the attempt does not apply to it (FAIL-4). */
  #endAfterProcesses(outcome: Outcome): void {
    const processes = this.#context.forbidProcesses();
    if (processes === undefined) return this.#end(outcome);
    this.#phase = "ending";
    this.attempt.dropDeadline();
    processes.stop();
    void processes.exited().then(() => {
      if (this.#phase === "ending") this.#end(outcome);
    });
  }

  /** The outcome is delivered before `idle` can resolve. */
  #end(outcome: Outcome): void {
    if (!this.#hasReturned) return this.#endAndLinger(outcome);
    this.#phase = "exited";
    this.#markExited();
    this.attempt.onEnded(outcome);
    this.#counts.removeActive();
  }

  /** RM6. */
  #endAndLinger(outcome: Outcome): void {
    this.attempt.onEnded(outcome);
    this.#linger();
  }

  #markExited(): void {
    this.#context.closePipes();
    this.#consoleScope?.close();
    this.attempt.onExited();
  }
}

/** Calls `Agent.abandoned` after the turn that force-stopped the attempt (RM4). Errors are ignored (RM2). */
async function notifyAgent(agent: Agent, context: AttemptContext, consoleScope?: ConsoleScope): Promise<void> {
  await Promise.resolve();
  const notify = (): void | Promise<void> => agent.abandoned?.(context);
  try {
    await (consoleScope === undefined ? notify() : consoleScope.run(notify));
  } catch {
    // The attempt has ended or was force-stopped, so this error cannot fail it.
  }
}
