// The port by which a process comes to own a store, and the options of an engine that are about it.

import type { ResumePolicy } from "../inbox/resumption.ts";

export interface Ownership {
  /**
   * True when this process is the owner now; false when somebody else is. Never waits for others. `onLost` is called once,
   * when what was owned is not owned any more and was not released; whoever lost it may try again. A lock of the operating
   * system is never lost, a lease is.
   */
  tryOwn(onLost: () => void): Promise<boolean>;
  /** Called at every poll of the owner, where a lock can be dropped without a word. Takes it again, or calls `onLost`. */
  verify?(): void;
  release(): void;
}

export interface OwnershipOptions {
  /** Who may write to the store. Without it this engine is the only one. */
  readonly ownership?: Ownership;
  /** `readOnly` looks and never writes; `post` also posts commands; `own` goes on with what is unfinished. */
  readonly mode?: "own" | "post" | "readOnly";
  /**
   * Which unfinished executions this engine goes on with: `all`, the default, or its `own`, which are those that it starts, is
   * asked about, or that others post while it is open (N6).
   */
  readonly resume?: ResumePolicy;
  /** How often to look for what others posted; never when it is absent. */
  readonly pollMs?: number;
}
