// The processes that one attempt of a main-thread agent owns. Attempts that own none have no set.
//
//   PS1. The processes are independent of each other: the exit of one does not affect the others. None of them outlives
//        the attempt.
//   PS2. A set holds the processes that run, and those whose output the agent has not read to the end. The pipes of the
//        latter are closed when the attempt ends.

import type { OwnedTree } from "./owned-tree.ts";

export class ProcessSet {
  readonly #running = new Set<OwnedTree>();
  readonly #readable = new Set<OwnedTree>();
  #started = 0;

  /** A number for the marker of the next process. */
  nextNumber(): number {
    return ++this.#started;
  }

  add(process: OwnedTree): void {
    this.#running.add(process);
    this.#readable.add(process);
    void process.exited.then(() => this.#running.delete(process));
    const forget = (): void => {
      if (process.stdout.closed && process.stderr.closed) this.#readable.delete(process);
    };
    process.stdout.once("close", forget);
    process.stderr.once("close", forget);
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Resolves when all processes that run now have exited. */
  async exited(): Promise<void> {
    await Promise.all(Array.from(this.#running, (process) => process.exited));
  }

  askToStop(): void {
    for (const process of this.#running) process.askToStop();
  }

  stop(): void {
    for (const process of this.#running) process.stop();
  }

  kill(): void {
    for (const process of this.#running) process.kill();
  }

  closePipes(): void {
    for (const process of this.#readable) process.closePipes();
    this.#readable.clear();
  }
}
