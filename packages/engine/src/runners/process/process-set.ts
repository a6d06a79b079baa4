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

  add(tree: OwnedTree): void {
    this.#running.add(tree);
    this.#readable.add(tree);
    void tree.treeExited.then(() => this.#running.delete(tree));
    const forget = (): void => {
      if (tree.stdout.closed && tree.stderr.closed) this.#readable.delete(tree);
    };
    tree.stdout.once("close", forget);
    tree.stderr.once("close", forget);
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Resolves when all processes that run now have exited. */
  async exited(): Promise<void> {
    await Promise.all(Array.from(this.#running, (tree) => tree.treeExited));
  }

  askToStop(): void {
    for (const tree of this.#running) tree.askToStop();
  }

  stop(): void {
    for (const tree of this.#running) tree.stop();
  }

  kill(): void {
    for (const tree of this.#running) tree.kill();
  }

  closePipes(): void {
    for (const tree of this.#readable) tree.closePipes();
    this.#readable.clear();
  }
}
