// The function runner runs agents that are functions of this process.
//
//   R1. An attempt ends once. Results that arrive after its end, or after it was abandoned, are ignored.
//   R2. Whatever a function throws or returns becomes an outcome; it cannot harm the engine.
//   R3. A function that ignores its abort signal cannot be stopped. It is abandoned, and counted until its promise
//       settles (CANCEL-2). Its agent is notified, because it may have to clean up and the promise may never settle.
//   R4. Functions are never called during a turn: the functions that a turn starts are called together after it.
//   R5. Output to stdout and stderr belongs to the attempt (`step-output.ts`) until the attempt ends.
//   R6. An uncaught error from a timer or promise of the function fails its attempt, if the process listens for such
//       errors (`assignToStep`). The function may still run, so it is abandoned (R3).

import { classifyError, type Outcome } from "@segno/kernel";
import { isThenable } from "../checks/thenable.ts";
import type { Environment } from "../clock/environment.ts";
import type { AttemptOutput, StepOutputCapture } from "../events/step-output.ts";
import type { Agent } from "../agents/agent.ts";
import { outcomeOfError, outcomeOfValue, type Classify } from "./function-outcome.ts";
import type { Attempt, Runner, RunningAttempt } from "./runner.ts";
import { AttemptContext } from "./attempt-context.ts";

export class FunctionRunner implements Runner {
  readonly #environment: Environment;
  readonly #classify: Classify;
  readonly #output: StepOutputCapture | undefined;
  readonly #runningCalls = new RunningCalls();
  #pending: FunctionExecution[] = [];

  constructor(environment: Environment, classify: Classify = classifyError, output?: StepOutputCapture) {
    this.#environment = environment;
    this.#classify = classify;
    this.#output = output;
  }

  /** Functions that were abandoned and still run. */
  get abandoned(): number {
    return this.#runningCalls.abandoned;
  }

  get commitDelayTicks(): number {
    return this.#runningCalls.running > 0 ? 1 : 0;
  }

  start(attempt: Attempt): RunningAttempt {
    const call = new FunctionExecution(attempt, this.#runningCalls, this.#classify, this.#output?.open(attempt));
    if (this.#pending.push(call) === 1) this.#environment.soon(() => this.#startPending());
    return call;
  }

  idle(): Promise<void> {
    return this.#runningCalls.idle();
  }

  #startPending(): void {
    const calls = this.#pending;
    this.#pending = [];
    for (const call of calls) call.begin(call.attempt.localAgent!);
  }
}

/** Counts the running functions. */
class RunningCalls {
  running = 0;
  abandoned = 0;
  #idleResolvers: (() => void)[] = [];

  async idle(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => this.#idleResolvers.push(resolve));
  }

  onEnded(): void {
    if (--this.running === 0) for (const wake of this.#idleResolvers.splice(0)) wake();
  }
}

class FunctionExecution implements RunningAttempt {
  readonly attempt: Attempt;
  readonly #context: AttemptContext;
  readonly #runningCalls: RunningCalls;
  readonly #classify: Classify;
  readonly #output: AttemptOutput | undefined;
  #phase: "running" | "abandoned" | "over" = "running";

  constructor(attempt: Attempt, runningCalls: RunningCalls, classify: Classify, output: AttemptOutput | undefined) {
    this.attempt = attempt;
    this.#output = output;
    if (output !== undefined) output.fail = (error) => this.#fail(error);
    this.#context = new AttemptContext(attempt);
    this.#runningCalls = runningCalls;
    this.#classify = classify;
    runningCalls.running++;
  }

  begin(agent: Agent): void {
    try {
      if (!this.attempt.isCurrent()) this.#context.abort("it was stopped before it began");
      this.#context.throwIfAborted();
      const result = this.#output === undefined ? this.#execute(agent) : this.#output.run(() => this.#runAgent(agent));
      if (isThenable(result)) this.#await(result);
      else this.#onReturned(result);
    } catch (error) {
      this.#onThrown(error);
    }
  }

  #execute(agent: Agent): unknown {
    return agent.execute(this.attempt.outputs(), this.#context);
  }

  /** Some thenables start their work in `then`, so `then` has to be called in the attempt's context too (R5). */
  #runAgent(agent: Agent): unknown {
    const result = this.#execute(agent);
    return isThenable(result) ? Promise.resolve(result) : result;
  }

  abort(force: boolean, reason: string): void {
    if (this.#phase !== "running") return;
    this.#context.abort(reason);
    if (force) this.#abandon();
  }

  /** R6. */
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
    this.#runningCalls.abandoned++;
    this.#runningCalls.onEnded();
    void notifyAbandoned(this.attempt.localAgent!, this.#context, this.#output);
  }

  #await(result: PromiseLike<unknown>): void {
    Promise.resolve(result).then(
      (value) => this.#onReturned(value),
      (error: unknown) => this.#onThrown(error),
    );
  }

  #onReturned(value: unknown): void {
    if (this.#tryFinish()) this.#end(outcomeOfValue(value, this.attempt.localAgent?.mayExpand));
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
      this.#runningCalls.abandoned--;
      this.#output?.end();
      this.attempt.onExited();
    }
    return phase === "running";
  }

  /** The outcome is delivered before `idle` can resolve. */
  #end(outcome: Outcome): void {
    this.#output?.end();
    this.attempt.onExited();
    this.attempt.end(outcome);
    this.#runningCalls.onEnded();
  }
}

/** Runs after the turn that abandoned the attempt (R4). Errors are ignored (R2). */
async function notifyAbandoned(agent: Agent, context: AttemptContext, output?: AttemptOutput): Promise<void> {
  await Promise.resolve();
  const notify = (): void | Promise<void> => agent.abandoned?.(context);
  try {
    await (output === undefined ? notify() : output.run(notify));
  } catch {
    // The attempt has already ended, so this error cannot fail it.
  }
}
