// The function runner: agents that are functions of this process.
//
//   R1. An attempt ends once. What comes after its end, or after it was given up, counts for nothing.
//   R2. Whatever a function throws or returns becomes an outcome; nothing that it does can harm the engine.
//   R3. A function that ignores its signal cannot be stopped; it is given up, and noted until it settles (CANCEL-2).
//       Its agent is told: it may have something to clean up, and the function may never settle.
//   R4. No function is called in the middle of a turn: those that a turn starts are called together when it is over.
//   R5. What a function writes to stdout and stderr is its attempt's (`step-output.ts`); what follows its end is not.
//   R6. An error that nothing caught, from a timer or a promise of the function, fails its attempt where the process listens
//       for such errors (`giveToStep`). The function may still run, so it is given up (R3).

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
  #starting: FunctionExecution[] = [];

  constructor(environment: Environment, classify: Classify = classifyError, output?: StepOutputCapture) {
    this.#environment = environment;
    this.#classify = classify;
    this.#output = output;
  }

  /** Given up, but not settled yet. */
  get abandoned(): number {
    return this.#runningCalls.abandoned;
  }

  get commitDelayTicks(): number {
    return this.#runningCalls.running > 0 ? 1 : 0;
  }

  start(attempt: Attempt): RunningAttempt {
    const call = new FunctionExecution(attempt, this.#runningCalls, this.#classify, this.#output?.open(attempt));
    if (this.#starting.push(call) === 1) this.#environment.soon(() => this.#callAll());
    return call;
  }

  idle(): Promise<void> {
    return this.#runningCalls.idle();
  }

  #callAll(): void {
    const calls = this.#starting;
    this.#starting = [];
    for (const call of calls) call.begin(call.attempt.localAgent!);
  }
}

/** How many functions are under way, and who waits until none is. */
class RunningCalls {
  running = 0;
  abandoned = 0;
  #waiters: (() => void)[] = [];

  async idle(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  leave(): void {
    if (--this.running === 0) for (const wake of this.#waiters.splice(0)) wake();
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
      this.#threw(error);
    }
  }

  #execute(agent: Agent): unknown {
    return agent.execute(this.attempt.outputs(), this.#context);
  }

  /** Some promises begin their work when somebody waits for them; that has to be in the attempt's context too (R5). */
  #runAgent(agent: Agent): unknown {
    const result = this.#execute(agent);
    return isThenable(result) ? Promise.resolve(result) : result;
  }

  abort(force: boolean, reason: string): void {
    if (this.#phase !== "running") return;
    this.#context.abort(reason);
    if (force) this.#giveUp();
  }

  /** R6. */
  #fail(error: unknown): boolean {
    if (this.#phase !== "running") return false;
    const outcome = this.#toOutcome(error);
    this.#context.abort("an error that nothing caught failed the attempt");
    this.attempt.end(outcome);
    this.#giveUp();
    return true;
  }

  #giveUp(): void {
    this.#phase = "abandoned";
    this.#runningCalls.abandoned++;
    this.#runningCalls.leave();
    void tellAbandoned(this.attempt.localAgent!, this.#context, this.#output);
  }

  #await(result: PromiseLike<unknown>): void {
    Promise.resolve(result).then(
      (value) => this.#onReturned(value),
      (error: unknown) => this.#threw(error),
    );
  }

  #onReturned(value: unknown): void {
    if (this.#counts()) this.#end(outcomeOfValue(value, this.attempt.localAgent?.mayExpand));
  }

  #threw(error: unknown): void {
    if (this.#counts()) this.#end(this.#toOutcome(error));
  }

  #toOutcome(error: unknown): Outcome {
    const maskText = (text: string): string => this.attempt.maskText(text);
    return outcomeOfError(error, { isAborted: this.#context.isAborted, classify: this.#classify, maskText });
  }

  /** Whether it is the first end of an attempt that was not given up. */
  #counts(): boolean {
    const phase = this.#phase;
    this.#phase = "over";
    if (phase === "abandoned") {
      this.#runningCalls.abandoned--;
      this.#output?.end();
      this.attempt.onExited();
    }
    return phase === "running";
  }

  /** Whoever waits until nothing runs finds the end of this one already on its way. */
  #end(outcome: Outcome): void {
    this.#output?.end();
    this.attempt.onExited();
    this.attempt.end(outcome);
    this.#runningCalls.leave();
  }
}

/** When the turn that gave it up has let go (R4); whatever comes of it is nobody's business any more (R2). */
async function tellAbandoned(agent: Agent, context: AttemptContext, output?: AttemptOutput): Promise<void> {
  await Promise.resolve();
  const tell = (): void | Promise<void> => agent.abandoned?.(context);
  try {
    await (output === undefined ? tell() : output.run(tell));
  } catch {
    // The attempt has its end already: there is none that this could fail.
  }
}
