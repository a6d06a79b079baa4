// The ownership loop: takes ownership of the store, recovers unfinished executions, and polls.
//
//   N1. Only an owner claims, recovers and takes messages; a follower tries to become the owner at every poll. An owner
//       that lost the store releases all executions and becomes a follower. It recovers again when it owns the store
//       again.
//   N2. A failed recovery is repeated until it has looked at every unfinished execution.
//   N3. Due executions are loaded in the order in which they were due. For the others only a timer is set.
//   N4. Once a minute the loop looks again at everything that is due, to find executions that became durable late or
//       that another process wrote.
//   N5. Data beyond its retention time is removed (`retention.ts`).
//   N6. An engine with `resume: "own"` leaves all other executions alone (`resumption.ts`).
//   N7. The loop checks the files and the lock of the store at every poll, and before it takes ownership. If they are
//       not the opened ones, all executions are released and nothing more is written.

import { type EpochMs, type ExecutionId, type ExecutionStatus } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { RecordedAges } from "../clock/recorded-ages.ts";
import type { Executions } from "../executions/executions.ts";
import { KEY_SWEEP_MS } from "../idempotency/keys.ts";
import type { InboxPoller } from "../inbox/inbox-poller.ts";
import type { EngineStore } from "../store/engine-store.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { Page, Query, Summary } from "../store/store.ts";
import { toWakeTime, type ClockReading, type WakeTime } from "../clock/wake-time.ts";
import type { Resumption } from "../inbox/resumption.ts";
import type { OwnershipOptions } from "./ownership.ts";
import { Retention, type RetentionOptions } from "./retention.ts";

const UNFINISHED: readonly ExecutionStatus[] = [
  "pending",
  "validating",
  "running",
  "paused",
  "parked",
  "failing",
  "cancelling",
];
const PAGE = 50;
const CLAIM_AGAIN_MS = 1000;
/** An execution that was idle for this long leaves memory. */
const EVICT_AFTER_MS = 60_000;
/** The number of executions evicted before the loop yields. */
const EVICTED_AT_ONCE = 256;

export interface OwnershipLoopPorts {
  readonly options: OwnershipOptions & RetentionOptions & { readonly store: EngineStore };
  readonly executions: Executions;
  readonly inboxPoller: InboxPoller;
  readonly resumption: Resumption;
  readonly environment: Environment;
  readonly ages: RecordedAges;
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  /** Ends processes that a former owner left running, because a restarted step must not run twice. */
  endOrphans(): Promise<void>;
  isClosed(): boolean;
}

/** An execution whose due time has passed. */
interface Due {
  readonly id: ExecutionId;
  readonly wakeAt: EpochMs;
}

export class OwnershipLoop {
  readonly #ports: OwnershipLoopPorts;
  readonly #retention: Retention;
  #isOwner = false;
  #isRecovered = false;

  constructor(ports: OwnershipLoopPorts) {
    this.#ports = ports;
    this.#retention = new Retention({
      options: ports.options,
      ages: ports.ages,
      sleep: (ms) => ports.executions.sleep(ms),
      mayGoOn: () => this.#isOwner && !ports.isClosed(),
    });
  }

  get isOwner(): boolean {
    return this.#isOwner;
  }

  async begin(): Promise<void> {
    await this.#ports.resumption.begin(this.#ports.options.store);
    await this.#tryOwn();
    if (this.#isOwner) await this.#recover();
    if (this.#ports.isClosed()) return;
    this.#ports.executions.after(KEY_SWEEP_MS, () => void this.#sweep());
    if (this.#ports.options.pollMs !== undefined)
      this.#ports.executions.after(this.#ports.options.pollMs, () => void this.#poll());
  }

  async #tryOwn(): Promise<void> {
    const { ownership, mode = "own" } = this.#ports.options;
    if (this.#isOwner || mode !== "own") return;
    let isLost = false;
    const onLost = (): void => {
      isLost = true;
      this.#onOwnershipLost();
    };
    if (ownership !== undefined && !(await ownership.tryOwn(onLost))) return;
    // If the engine was closed meanwhile, nothing else would release the ownership.
    if (this.#ports.isClosed()) return ownership?.release();
    if (isLost) return;
    this.#isOwner = true;
    this.#ports.executions.own();
  }

  /** Checks that the store is still the opened one, and still owned (N7). */
  async #verify(): Promise<void> {
    const { store, ownership } = this.#ports.options;
    try {
      await store.checkFiles?.();
    } catch (error) {
      if (isForGood(error)) this.#unlock();
      throw error;
    }
    if (this.#isOwner) ownership?.verify?.();
  }

  #unlock(): void {
    this.#onOwnershipLost();
    this.#ports.options.ownership?.release();
  }

  #onOwnershipLost(): void {
    if (!this.#isOwner || this.#ports.isClosed()) return;
    this.#isOwner = false;
    this.#isRecovered = false;
    this.#ports.executions.releaseAll("the store is not owned here any more");
  }

  /** Loads due executions, and sets timers for the others. */
  async #recover(): Promise<void> {
    // Commits that were pending when ownership was last lost must arrive before the recovery reads.
    await this.#ports.executions.untilCommitted();
    await this.#ports.endOrphans();
    await this.#ports.inboxPoller.pollAll();
    const due: Due[] = [];
    await this.#each({ status: UNFINISHED }, ({ id, projection: { wakeAt, updatedAt } }) => {
      if (wakeAt === null || !this.#ports.resumption.includes(id)) return;
      if (wakeAt <= this.#ports.environment.now()) due.push({ id, wakeAt });
      else this.#wakeLater(id, toWakeTime(wakeAt, updatedAt, this.#reading()));
    });
    await this.#claimAll(due);
    this.#isRecovered = this.#isOwner;
  }

  async #claimAll(due: Due[]): Promise<void> {
    due.sort((a, b) => a.wakeAt - b.wakeAt);
    for (const [index, { id }] of due.entries()) {
      if (!this.#isOwner || this.#ports.isClosed()) return;
      await this.#claim(id);
      if ((index + 1) % PAGE === 0) await this.#yieldToEventLoop();
    }
  }

  /** A store that resolves at once would block the event loop until the last execution. */
  #yieldToEventLoop(): Promise<void> {
    return new Promise((resolve) => this.#ports.environment.defer(resolve));
  }

  async #each(query: Omit<Query, "limit" | "cursor">, see: (summary: Summary) => Promise<void> | void): Promise<void> {
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? {} : { cursor };
      const page: Page = await this.#ports.options.store.find({ ...query, ...from, limit: PAGE });
      for (const summary of page.executions) if (summary.quarantined === undefined) await see(summary);
      cursor = page.cursor;
      await this.#yieldToEventLoop();
    } while (cursor !== undefined && this.#isOwner && !this.#ports.isClosed());
  }

  #reading(): ClockReading {
    const { environment } = this.#ports;
    return { at: environment.now(), monotonic: environment.monotonic() };
  }

  #wakeLater(id: ExecutionId, time: WakeTime): void {
    this.#ports.executions.wakeAt(id, time, () => void this.#claim(id));
  }

  /** Makes an execution that others began this engine's own. */
  adopt(id: ExecutionId): void {
    this.#ports.resumption.add(id);
    if (this.#ports.resumption.isLimited && this.#isRecovered) void this.#claim(id);
  }

  async #claim(id: ExecutionId): Promise<void> {
    if (!this.#ports.resumption.includes(id)) return;
    // Many executions may be due at the same moment.
    const turn = this.#ports.executions.journals.turn();
    if (turn !== undefined) await turn;
    try {
      if (this.#isOwner && !this.#ports.isClosed()) await this.#ports.executions.claim(id);
    } catch (error) {
      if (!this.#isOwner) return;
      this.#ports.report(error, id);
      // Waiting does not help if a newer Segno wrote the execution.
      if (error instanceof StoreFault && error.code === "STORE_VERSION") return;
      this.#ports.executions.wake(id, CLAIM_AGAIN_MS, () => void this.#claim(id));
    }
  }

  async #poll(): Promise<void> {
    if (this.#ports.isClosed()) return;
    this.#ports.ages.notice();
    try {
      await this.#verify();
      await this.#tryOwn();
      // A failed recovery is repeated until it has looked at every unfinished execution.
      if (this.#isOwner && !this.#isRecovered) await this.#recover();
      else if (this.#isOwner) await this.#ports.inboxPoller.poll();
    } catch (error) {
      this.#ports.report(error, undefined);
    }
    if (!this.#ports.isClosed()) this.#ports.executions.after(this.#ports.options.pollMs!, () => void this.#poll());
  }

  async #sweep(): Promise<void> {
    if (this.#ports.isClosed()) return;
    try {
      if (this.#isOwner) {
        const now = this.#ports.environment.now();
        await this.#ports.inboxPoller.pollAll();
        await this.#each({ dueBy: now }, (summary) => this.#claimUnawaited(summary));
        await this.#retention.sweep();
        while (this.evictIdle(EVICTED_AT_ONCE, EVICT_AFTER_MS) === EVICTED_AT_ONCE) await this.#yieldToEventLoop();
      }
    } catch (error) {
      this.#ports.report(error, undefined);
    }
    if (!this.#ports.isClosed()) this.#ports.executions.after(KEY_SWEEP_MS, () => void this.#sweep());
  }

  /**
   * After the wall clock was set forward, an execution may be due by the store but not by its timer; the timer loads
   * it.
   */
  async #claimUnawaited({ id, projection: { wakeAt } }: Summary): Promise<void> {
    if (wakeAt === null || !this.#ports.executions.isAwaited(id, wakeAt)) await this.#claim(id);
  }

  /** Evicts idle executions. Returns their number. */
  evictIdle(atMost: number, idleMs: number = 0): number {
    const rested = this.#ports.executions.evictIdle({ atMost, now: this.#ports.environment.now(), idleMs });
    for (const { execution, wake } of rested) if (wake !== undefined) this.#wakeLater(execution.id, wake);
    return rested.length;
  }
}

/** True if the store of this engine no longer exists, even if another file has taken its place. */
function isForGood(error: unknown): boolean {
  return error instanceof StoreFault && error.code === "STORE_MOVED";
}
