// A bounded pool of worker threads: they start on demand and are terminated after `idleMs` without work.

import { Thread, type ThreadListener, type ThreadSetup } from "./thread.ts";

export interface ThreadPoolOptions extends ThreadSetup {
  readonly size: number;
  readonly idleMs: number;
}

export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  readonly #listener: ThreadListener;
  readonly #threads = new Set<Thread>();
  /** Idle threads with the timers that terminate them, in the order in which they became idle. */
  readonly #idle = new Map<Thread, NodeJS.Timeout>();

  constructor(options: ThreadPoolOptions, listener: ThreadListener) {
    this.#options = options;
    this.#listener = listener;
  }

  /** Whether a thread is idle, or another one may be started. */
  get hasFreeThread(): boolean {
    return this.#idle.size > 0 || this.#threads.size < this.#options.size;
  }

  /** Returns an idle thread that has loaded the module, or any idle thread, or a new one. Requires `hasFreeThread`. */
  acquire(path: string): Thread {
    const idle = [...this.#idle.keys()];
    const thread = idle.findLast((each) => each.hasLoaded(path)) ?? idle.at(-1);
    return thread === undefined ? this.#startThread() : this.#removeFromIdle(thread);
  }

  /** The thread has no work. */
  markIdle(thread: Thread): void {
    thread.markIdle();
    const timer = setTimeout(() => this.retire(thread), this.#options.idleMs);
    this.#idle.set(thread, timer.unref());
  }

  /** Terminates the thread and never assigns it again. */
  retire(thread: Thread): void {
    this.#removeFromIdle(thread);
    void thread.terminate();
  }

  /** The thread has exited. */
  remove(thread: Thread): void {
    this.#removeFromIdle(thread);
    this.#threads.delete(thread);
  }

  /** Terminates all threads; resolves when they have exited. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  #removeFromIdle(thread: Thread): Thread {
    clearTimeout(this.#idle.get(thread));
    this.#idle.delete(thread);
    return thread;
  }

  #startThread(): Thread {
    const thread = new Thread(this.#options, this.#listener);
    this.#threads.add(thread);
    return thread;
  }
}
