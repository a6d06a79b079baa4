// The listeners of one kind of live output, by execution.
//
//   EL1. Listeners of one execution cost nothing while other executions write.
//   EL2. An error of a listener is only reported.

import type { ExecutionId } from "@segno/kernel";
import { onRejected } from "../checks/thenable.ts";
import { runOutsideSteps } from "../events/console-capture.ts";

type OutputListener<Output> = (execution: ExecutionId, output: Output) => void;

/** The same function may be subscribed twice. */
interface Subscription<Output> {
  readonly listener: OutputListener<Output>;
}

export class ExecutionListeners<Output> {
  readonly #report: (error: unknown) => void;
  readonly #all = new Set<Subscription<Output>>();
  readonly #byExecution = new Map<string, Set<Subscription<Output>>>();

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Without an execution, the listener gets the output of all. Returns a function that unsubscribes. */
  add(execution: string | undefined, listener: OutputListener<Output>): () => void {
    const subscription = { listener };
    if (execution === undefined) {
      this.#all.add(subscription);
      return () => void this.#all.delete(subscription);
    }
    const subscriptions = this.#byExecution.get(execution) ?? new Set();
    this.#byExecution.set(execution, subscriptions.add(subscription));
    return () => {
      subscriptions.delete(subscription);
      if (subscriptions.size === 0 && this.#byExecution.get(execution) === subscriptions)
        this.#byExecution.delete(execution);
    };
  }

  has(execution: string): boolean {
    return this.#all.size > 0 || this.#byExecution.has(execution);
  }

  tell(execution: ExecutionId, output: Output): void {
    for (const { listener } of this.#all) this.#tellOne(listener, execution, output);
    for (const { listener } of this.#byExecution.get(execution) ?? []) this.#tellOne(listener, execution, output);
  }

  #tellOne(listener: OutputListener<Output>, execution: ExecutionId, output: Output): void {
    try {
      const listen = (): unknown => listener(execution, output);
      onRejected(runOutsideSteps(listen), this.#report);
    } catch (error) {
      this.#report(error);
    }
  }
}
