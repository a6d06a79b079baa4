// The ownership loop: takes ownership of the store, recovers unfinished executions, and polls.
//
//   N1. Only an owner claims, recovers and takes messages; a follower tries to become the owner at every poll. An owner
//       that lost the store releases all executions and becomes a follower. It recovers again when it owns the store
//       again (`recovery.ts`).
//   N5. Data beyond its retention time is removed (`retention.ts`).
//   N7. The loop checks the files and the lock of the store at every poll, and before it takes ownership. If they are
//       not the opened ones, all executions are released and nothing more is written.

import type { Executions } from "../executions/executions.ts";
import { KEY_SWEEP_MS } from "../idempotency/keys.ts";
import type { InboxPoller } from "../inbox/inbox-poller.ts";
import type { StoreAccess } from "../inbox/store-access.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { OwnershipOptions } from "./ownership.ts";
import type { Recovery } from "./recovery.ts";
import type { Retention } from "./retention.ts";

export interface OwnershipLoopPorts {
  readonly options: OwnershipOptions;
  readonly access: StoreAccess;
  readonly executions: Executions;
  readonly inboxPoller: InboxPoller;
  readonly recovery: Recovery;
  readonly retention: Retention;
  readonly report: (error: unknown, execution: undefined) => void;
}

export class OwnershipLoop {
  readonly #ports: OwnershipLoopPorts;

  constructor(ports: OwnershipLoopPorts) {
    this.#ports = ports;
  }

  /** Owns the store if no other process does, recovers its executions, and polls from then on. */
  async begin(): Promise<void> {
    const { options, access, executions, recovery } = this.#ports;
    await recovery.begin();
    await this.#tryOwn();
    if (access.isOwner) await this.#recover();
    if (access.isClosed) return;
    executions.after(KEY_SWEEP_MS, () => void this.#sweep());
    if (options.pollMs !== undefined) executions.after(options.pollMs, () => void this.#poll());
  }

  /** Processes of a killed owner may still read their copies of artifacts, so these are removed last. */
  async #recover(): Promise<void> {
    const { recovery, retention, report } = this.#ports;
    await recovery.recover();
    const removing = recovery.isDone ? retention.removeLeftCopies() : undefined;
    if (removing !== undefined) await removing.catch((error: unknown) => report(error, undefined));
  }

  async #tryOwn(): Promise<void> {
    const { access, executions } = this.#ports;
    const { ownership, mode = "own" } = this.#ports.options;
    if (access.isOwner || mode !== "own") return;
    let isLost = false;
    const onLost = (): void => {
      isLost = true;
      this.#onOwnershipLost();
    };
    if (ownership !== undefined && !(await ownership.tryOwn(onLost))) return;
    // If the engine was closed meanwhile, nothing else would release the ownership.
    if (access.isClosed) return ownership?.release();
    if (!isLost) executions.own();
  }

  /** Checks that the store is still the opened one, and still owned (N7). */
  async #verify(): Promise<void> {
    const { access, options } = this.#ports;
    try {
      await access.store.checkFiles?.();
    } catch (error) {
      if (isForGood(error)) this.#unlock(error);
      throw error;
    }
    if (access.isOwner) options.ownership?.verify?.();
  }

  /** No newer owner continues the executions, so their callers get the fault itself. */
  #unlock(fault: StoreFault): void {
    this.#onOwnershipLost(fault);
    this.release();
  }

  /** The engine closes: another process may own the store from now on. */
  release(): void {
    this.#ports.options.ownership?.release();
  }

  #onOwnershipLost(fault?: StoreFault): void {
    const { access, executions, recovery } = this.#ports;
    if (!access.isOpenOwner) return;
    recovery.reset();
    executions.releaseAll("this process no longer owns the store", fault);
  }

  async #poll(): Promise<void> {
    const { options, access, executions, inboxPoller, recovery, retention, report } = this.#ports;
    if (access.isClosed) return;
    retention.noticeTime();
    try {
      await this.#verify();
      await this.#tryOwn();
      // A failed recovery is repeated until it has looked at every unfinished execution.
      if (access.isOwner && !recovery.isDone) await this.#recover();
      else if (access.isOwner) await inboxPoller.poll();
    } catch (error) {
      report(error, undefined);
    }
    if (!access.isClosed) executions.after(options.pollMs!, () => void this.#poll());
  }

  async #sweep(): Promise<void> {
    const { access, executions, recovery, retention, report } = this.#ports;
    if (access.isClosed) return;
    try {
      if (access.isOwner) {
        await recovery.claimDue();
        await retention.sweep();
        await recovery.evictLongIdle();
      }
    } catch (error) {
      report(error, undefined);
    }
    if (!access.isClosed) executions.after(KEY_SWEEP_MS, () => void this.#sweep());
  }
}

/** True if the store of this engine no longer exists, even if another file has taken its place. */
function isForGood(error: unknown): error is StoreFault {
  return error instanceof StoreFault && error.code === "STORE_MOVED";
}
