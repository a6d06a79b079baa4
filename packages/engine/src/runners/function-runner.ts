// The function runner runs agents on the engine's own thread.
//
//   FR1. An attempt ends once. Results that arrive after its end, or after it was abandoned, are ignored.
//   FR2. Whatever a function throws or returns becomes an outcome; it cannot harm the engine.
//   FR3. A function that ignores its abort signal cannot be stopped, so the runner abandons it: its result is ignored,
//        `idle` does not wait for it, and `abandoned` counts it until its promise settles (CANCEL-2). The promise may
//        never settle, so the runner notifies the agent, which can then clean up.
//   FR4. Functions are never called during a turn: the functions that a turn starts are called together after it.
//   FR5. Text written to stdout and stderr belongs to the attempt (`step-streams.ts`) until the attempt ends.
//   FR6. An uncaught error from a timer or promise of the function fails its attempt, if the process listens for such
//        errors (`assignToStep`). The function may still run, so it is abandoned (FR3).

import { classifyError, type Outcome } from "@segno/kernel";
import { isThenable } from "../checks/thenable.ts";
import type { Environment } from "../clock/environment.ts";
import type { AttemptStreams, StreamCapture } from "../events/step-streams.ts";
import type { Agent } from "../agents/agent.ts";
import { outcomeOfError, outcomeOfValue, type Classify } from "./function-outcome.ts";
import type { Attempt, Runner, RunningAttempt } from "./runner.ts";
import { AttemptContext } from "./attempt-context.ts";

export class FunctionRunner implements Runner {
  readonly #environment: Environment;
  readonly #classify: Classify;
  readonly #capture: StreamCapture | undefined;
  readonly #counts = new FunctionCounts();
  #pending: FunctionAttempt[] = [];

  constructor(environment: Environment, classify: Classify = classifyError, capture?: StreamCapture) {
    this.#environment = environment;
    this.#classify = classify;
    this.#capture = capture;
  }

  /** Functions that were abandoned and still run. */
  get abandoned(): number {
    return this.#counts.abandoned;
  }

  get commitDelayTicks(): number {
    return this.#counts.active > 0 ? 1 : 0;
  }

  start(attempt: Attempt): RunningAttempt {
    const functionAttempt = new FunctionAttempt(attempt, this.#counts, this.#classify, this.#capture?.open(attempt));
    if (this.#pending.push(functionAttempt) === 1) this.#environment.soon(() => this.#startPending());
    return functionAttempt;
  }

  idle(): Promise<void> {
    return this.#counts.idle();
  }

  #startPending(): void {
    const functionAttempts = this.#pending;
    this.#pending = [];
    for (const functionAttempt of functionAttempts) functionAttempt.begin(functionAttempt.attempt.mainThreadAgent!);
  }
}

class FunctionCounts {
  /** Attempts that have neither ended nor been abandoned; `idle` waits for these only. */
  active = 0;
  /** Attempts that were abandoned and whose functions still run. */
  abandoned = 0;
  #idleResolvers: (() => void)[] = [];

  async idle(): Promise<void> {
    if (this.active > 0) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  removeActive(): void {
    if (--this.active === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }
}

class FunctionAttempt implements RunningAttempt {
  readonly attempt: Attempt;
  readonly #context: AttemptContext;
  readonly #counts: FunctionCounts;
  readonly #classify: Classify;
  readonly #streams: AttemptStreams | undefined;
  #phase: "running" | "abandoned" | "over" = "running";

  constructor(attempt: Attempt, counts: FunctionCounts, classify: Classify, streams: AttemptStreams | undefined) {
    this.attempt = attempt;
    this.#streams = streams;
    if (streams !== undefined) streams.fail = (error) => this.#fail(error);
    this.#context = new AttemptContext(attempt);
    this.#counts = counts;
    this.#classify = classify;
    counts.active++;
  }

  begin(agent: Agent): void {
    try {
      if (!this.attempt.isUnderWay()) this.#context.abort("the attempt was stopped before it began");
      this.#context.throwIfAborted();
      const result =
        this.#streams === undefined ? this.#execute(agent) : this.#streams.run(() => this.#runAgent(agent));
      if (isThenable(result)) this.#await(result);
      else this.#onReturned(result);
    } catch (error) {
      this.#onThrown(error);
    }
  }

  #execute(agent: Agent): unknown {
    return agent.execute(this.attempt.dependencyOutputs(), this.#context);
  }

  /** Some thenables start their work in `then`, so `then` has to be called in the attempt's context too (FR5). */
  #runAgent(agent: Agent): unknown {
    const result = this.#execute(agent);
    return isThenable(result) ? Promise.resolve(result) : result;
  }

  abort(force: boolean, reason: string): void {
    if (this.#phase !== "running") return;
    this.#context.abort(reason);
    if (force) this.#abandon();
  }

  /** FR6. */
  #fail(error: unknown): boolean {
    if (this.#phase !== "running") return false;
    const outcome = this.#toOutcome(error);
    this.#context.abort("an uncaught error failed the attempt");
    this.attempt.end(outcome);
    this.#abandon();
    return true;
  }

  #abandon(): void {
    this.#phase = "abandoned";
    this.#counts.abandoned++;
    this.#counts.removeActive();
    void notifyAbandoned(this.attempt.mainThreadAgent!, this.#context, this.#streams);
  }

  #await(result: PromiseLike<unknown>): void {
    Promise.resolve(result).then(
      (value) => this.#onReturned(value),
      (error: unknown) => this.#onThrown(error),
    );
  }

  #onReturned(value: unknown): void {
    if (this.#tryFinish()) this.#end(outcomeOfValue(value, this.attempt.mainThreadAgent?.mayExpand));
  }

  #onThrown(error: unknown): void {
    if (this.#tryFinish()) this.#end(this.#toOutcome(error));
  }

  #toOutcome(error: unknown): Outcome {
    const maskText = (text: string): string => this.attempt.maskText(text);
    return outcomeOfError(error, { isAborted: this.#context.isAborted, classify: this.#classify, maskText });
  }

  /** Returns whether this is the first end of an attempt that was not abandoned. */
  #tryFinish(): boolean {
    const phase = this.#phase;
    this.#phase = "over";
    if (phase === "abandoned") {
      this.#counts.abandoned--;
      this.#streams?.end();
      this.attempt.onExited();
    }
    return phase === "running";
  }

  /** The outcome is delivered before `idle` can resolve. */
  #end(outcome: Outcome): void {
    this.#streams?.end();
    this.attempt.onExited();
    this.attempt.end(outcome);
    this.#counts.removeActive();
  }
}

/** Runs after the turn that abandoned the attempt (FR4). Errors are ignored (FR2). */
async function notifyAbandoned(agent: Agent, context: AttemptContext, streams?: AttemptStreams): Promise<void> {
  await Promise.resolve();
  const notify = (): void | Promise<void> => agent.abandoned?.(context);
  try {
    await (streams === undefined ? notify() : streams.run(notify));
  } catch {
    // The attempt has already ended, so this error cannot fail it.
  }
}
