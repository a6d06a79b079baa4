// Tells merge policies that a workflow was cancelled while their merges were open: running, waiting for a person, or
// escalated. A pull request is then closed, for example.

import type { Engine } from "@segno/engine";

type Cancel = () => Promise<void>;

export class MergeCancellations {
  /** The open merges of the workflows of this process. */
  readonly #open = new Map<string, Map<string, Cancel>>();
  readonly #running = new Set<Promise<void>>();

  open(engine: Engine, workflowId: string, mergeId: string, cancel: Cancel): void {
    const known = this.#open.get(workflowId);
    if (known !== undefined) return void known.set(mergeId, cancel);
    const merges = new Map([[mergeId, cancel]]);
    this.#open.set(workflowId, merges);
    const unsubscribe = engine.subscribe({ executionId: workflowId }, ({ events }) => {
      const end = events.find(({ kind }) => kind === "execution.completed" || kind === "execution.cancelled");
      if (end === undefined) return;
      unsubscribe();
      this.#open.delete(workflowId);
      if (end.kind === "execution.cancelled") for (const each of merges.values()) this.#run(each);
    });
  }

  landed(workflowId: string, mergeId: string): void {
    this.#open.get(workflowId)?.delete(mergeId);
  }

  /** Resolves when the policies of cancelled workflows have been told. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  #run(cancel: Cancel): void {
    // The workflow has ended, so an error of a policy changes nothing.
    const run: Promise<void> = cancel()
      .catch(() => undefined)
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }
}
