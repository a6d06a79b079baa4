// Recovery: finds the unfinished executions of the store, loads those that are due, and sets timers for the others.
//
//   N2. A failed recovery is repeated until it has looked at every unfinished execution.
//   N3. Due executions are loaded in the order in which they were due. For the others only a timer is set.
//   N4. Once a minute the ownership loop looks again at everything that is due, to find executions that became durable
//       late or that another process wrote.
//   N6. An engine with `resume: "own"` leaves all other executions alone (`resumption.ts`).

import {
  EXECUTION_STATUSES,
  isTerminalStatus,
  type EpochMs,
  type ExecutionId,
  type ExecutionStatus,
} from "@segno/kernel";
import type { SystemPorts } from "../clock/system-ports.ts";
import { toWakeTime, type TimeBase, type WakeTime } from "../clock/wake-time.ts";
import type { Executions } from "../executions/executions.ts";
import type { InboxPoller } from "../inbox/inbox-poller.ts";
import type { Resumption } from "../inbox/resumption.ts";
import type { IdleEvictor } from "../inbox/start-capacity.ts";
import type { StoreAccess } from "../inbox/store-access.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { Page, Query, Summary } from "../store/store.ts";

const UNFINISHED: readonly ExecutionStatus[] = EXECUTION_STATUSES.filter((status) => !isTerminalStatus(status));
const PAGE = 50;
/** The pause after a failed claim doubles up to the maximum: an execution may stay unreadable for long. */
const CLAIM_AGAIN_MS = { first: 1000, max: 60_000 };
/** An execution that was idle for this long leaves memory. */
const EVICT_AFTER_MS = 60_000;
/** The number of executions evicted before the recovery yields. */
const EVICTED_AT_ONCE = 256;

/** The processes of attempts, as far as recovery uses them. */
export interface OrphanKiller {
  /** Kills processes that a former owner left running, because a restarted step must not run twice. */
  killOrphans(): Promise<void>;
}

export interface RecoveryPorts {
  readonly access: StoreAccess;
  readonly environment: SystemPorts;
  readonly executions: Executions;
  readonly inboxPoller: InboxPoller;
  readonly resumption: Resumption;
  readonly processes: OrphanKiller;
  readonly report: (error: unknown, execution: ExecutionId) => void;
}

/** An execution whose due time has passed. */
interface Due {
  readonly id: ExecutionId;
  readonly wakeAt: EpochMs;
}

export class Recovery implements IdleEvictor {
  readonly #ports: RecoveryPorts;
  /** The last pause of each execution whose claim failed. */
  readonly #claimPauses = new Map<ExecutionId, number>();
  #isDone = false;

  constructor(ports: RecoveryPorts) {
    this.#ports = ports;
    ports.resumption.onAdopted((id) => {
      if (this.#isDone) void this.#claim(id);
    });
  }

  /** Called before this process owns the store. */
  async begin(): Promise<void> {
    await this.#ports.resumption.begin(this.#ports.access.store);
  }

  /** Whether every unfinished execution was looked at since this process owns the store. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The store is not owned any more; the next owner recovers again. */
  reset(): void {
    this.#isDone = false;
    this.#claimPauses.clear();
  }

  /** Loads due executions, and sets timers for the others. */
  async recover(): Promise<void> {
    const { executions, inboxPoller, processes, environment, resumption } = this.#ports;
    // Commits that were pending when ownership was last lost must arrive before the recovery reads.
    await executions.untilCommitted();
    await processes.killOrphans();
    await inboxPoller.pollAll();
    const due: Due[] = [];
    await this.#each({ status: UNFINISHED }, ({ id, projection: { wakeAt, updatedAt } }) => {
      if (wakeAt === null || !resumption.includes(id)) return;
      const now = environment.now();
      // A load reports a row whose times are not numbers.
      const areTimes = Number.isSafeInteger(wakeAt) && Number.isSafeInteger(updatedAt);
      if (!areTimes || wakeAt <= now) due.push({ id, wakeAt: areTimes ? wakeAt : now });
      else this.#wakeLater(id, toWakeTime(wakeAt, updatedAt, this.#timeBase()));
    });
    await this.#claimAll(due);
    this.#isDone = this.#ports.access.isOwner;
  }

  /** Loads executions that are due and that no timer will load (N4). */
  async claimDue(): Promise<void> {
    const now = this.#ports.environment.now();
    await this.#ports.inboxPoller.pollAll();
    await this.#each({ dueBy: now }, (summary) => this.#claimUnawaited(summary));
  }

  /** Evicts executions that have been idle for long, a few at a time. */
  async evictLongIdle(): Promise<void> {
    while (this.evictIdle(EVICTED_AT_ONCE, EVICT_AFTER_MS) === EVICTED_AT_ONCE) await this.#yieldToEventLoop();
  }

  /** Evicts idle executions, and loads them again when they are due. Returns their number. */
  evictIdle(atMost: number, idleMs: number = 0): number {
    const now = this.#ports.environment.now();
    const evicted = this.#ports.executions.evictIdle({ atMost, now, idleMs });
    for (const { execution, wake } of evicted) if (wake !== undefined) this.#wakeLater(execution.id, wake);
    return evicted.length;
  }

  async #claimAll(due: Due[]): Promise<void> {
    due.sort((a, b) => a.wakeAt - b.wakeAt);
    for (const [index, { id }] of due.entries()) {
      if (!this.#ports.access.isOpenOwner) return;
      await this.#claim(id);
      if ((index + 1) % PAGE === 0) await this.#yieldToEventLoop();
    }
  }

  /** A store that resolves at once would block the event loop until the last execution. */
  #yieldToEventLoop(): Promise<void> {
    return new Promise((resolve) => this.#ports.environment.defer(resolve));
  }

  async #each(query: Omit<Query, "limit" | "cursor">, see: (summary: Summary) => Promise<void> | void): Promise<void> {
    const { access } = this.#ports;
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? {} : { cursor };
      const page: Page = await access.store.find({ ...query, ...from, limit: PAGE });
      for (const summary of page.executions) if (summary.quarantined === undefined) await see(summary);
      cursor = page.cursor;
      await this.#yieldToEventLoop();
    } while (cursor !== undefined && access.isOpenOwner);
  }

  #timeBase(): TimeBase {
    const { environment } = this.#ports;
    return { at: environment.now(), monotonic: environment.monotonic() };
  }

  #wakeLater(id: ExecutionId, time: WakeTime): void {
    this.#ports.executions.setWakeTimer(id, time, () => void this.#claim(id));
  }

  async #claim(id: ExecutionId): Promise<void> {
    const { access, executions, resumption, report } = this.#ports;
    if (!resumption.includes(id)) return;
    // Many executions may be due at the same moment.
    const wait = executions.journals.waitToRead();
    if (wait !== undefined) await wait;
    try {
      if (access.isOpenOwner) await executions.claim(id);
      this.#claimPauses.delete(id);
    } catch (error) {
      if (!access.isOwner) return;
      report(error, id);
      // Waiting does not help if a newer Segno wrote the execution.
      if (error instanceof StoreFault && error.code === "STORE_VERSION") return;
      executions.setWakeTimerAfter(id, this.#nextPause(id), () => void this.#claim(id));
    }
  }

  #nextPause(id: ExecutionId): number {
    const last = this.#claimPauses.get(id);
    const pause = last === undefined ? CLAIM_AGAIN_MS.first : Math.min(2 * last, CLAIM_AGAIN_MS.max);
    this.#claimPauses.set(id, pause);
    return pause;
  }

  /**
   * After the wall clock was set forward, an execution may be due by the store but not by its timer; the timer loads
   * it.
   */
  async #claimUnawaited({ id, projection: { wakeAt } }: Summary): Promise<void> {
    if (wakeAt === null || !this.#ports.executions.isWakeTimerSet(id, wakeAt)) await this.#claim(id);
  }
}
