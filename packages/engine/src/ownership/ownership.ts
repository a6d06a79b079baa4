// The port by which a process comes to own a store, and the options of an engine that are about it.

import type { ResumePolicy } from "../inbox/resumption.ts";

/** Decides which process owns a store. */
export interface Ownership {
  /**
   * Tries to take ownership, without waiting for other processes. True means that this process owns the store now.
   * `onLost` is called once if ownership is lost without `release`; the caller may then try again. A lock of the
   * operating system is never lost; a lease can be.
   */
  tryOwn(onLost: () => void): Promise<boolean>;
  /**
   * The owner calls this at every poll, for locks that can be dropped silently. It takes the lock again or calls
   * `onLost`.
   */
  verify?(): void;
  /** Gives up ownership. */
  release(): void;
}

/** Options of an engine about the ownership of its store. */
export interface OwnershipOptions {
  /**
   * Decides which process owns the store and may write to it. With a `store` and no `ownership`, this engine assumes
   * that it is the only one.
   */
  readonly ownership?: Ownership;
  /**
   * `own`, the default, owns the store and continues unfinished executions. `post` reads, and posts commands for the
   * owner. `readOnly` never writes.
   */
  readonly mode?: "own" | "post" | "readOnly";
  /**
   * The unfinished executions that this engine continues. `all` is the default. `own` continues only executions that
   * this engine starts, that its caller asks about, or that others post while it is open.
   */
  readonly resume?: ResumePolicy;
  /**
   * The interval between polls for messages that other processes posted. With the default SQLite file it is 100 ms.
   * With a `store` the default is not to poll.
   */
  readonly pollMs?: number;
}
