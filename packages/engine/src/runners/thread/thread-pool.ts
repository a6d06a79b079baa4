// The pool: so many threads at most, started when they are needed, kept for a while when they are not.

import { Thread, type ThreadListener, type ThreadSetup } from "./thread.ts";

export interface ThreadPoolOptions extends ThreadSetup {
  readonly size: number;
  readonly idleMs: number;
}

export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #listener: ThreadListener;
  readonly #threads = new Set<Thread>();
  /** Those that rest, and what ends them when they have rested for long; the last one to rest comes last. */
  readonly #resting = new Map<Thread, NodeJS.Timeout>();

  constructor(options: ThreadPoolOptions, listener: ThreadListener) {
    this.#options = options;
    this.#listener = listener;
  }

  get hasRoom(): boolean {
    return this.#resting.size > 0 || this.#threads.size < this.#options.size;
  }

  /** One that has the module, or else any that rests, or else a new one. There must be room. */
  take(path: string): Thread {
    const resting = [...this.#resting.keys()];
    const thread = resting.findLast((each) => each.knows(path)) ?? resting.at(-1);
    return thread === undefined ? this.#startThread() : this.#wake(thread);
  }

  /** It has nothing to do any more. */
  rest(thread: Thread): void {
    thread.rest();
    const timer = setTimeout(() => this.retire(thread), this.#options.idleMs);
    this.#resting.set(thread, timer.unref());
  }

  /** Nobody gets it any more. */
  retire(thread: Thread): void {
    this.#wake(thread);
    void thread.end();
  }

  /** It is gone. */
  forget(thread: Thread): void {
    this.#wake(thread);
    this.#threads.delete(thread);
  }

  /** Ends all of them, and resolves when they are gone. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #wake(thread: Thread): Thread {
    clearTimeout(this.#resting.get(thread));
    this.#resting.delete(thread);
    return thread;
  }

  #startThread(): Thread {
    const thread = new Thread(this.#options, this.#listener);
    this.#threads.add(thread);
    return thread;
  }
}
