// Tenure: this process owns the store, or waits until it does, and goes on with what is unfinished.
//
//   N1. Only an owner claims, recovers and takes messages; a follower asks for ownership at every poll.
//   N2. A recovery that fails is begun again, until everything that is unfinished was looked at.
//   N3. What is due is loaded now; of the rest it is only noted when it will be.
//   N4. Every minute everything that is due is looked at again: what became durable when nobody expected it any more, or was
//       put into the store by somebody else, is not lost.

import { epochMs, type EpochMs, type ExecutionId, type ExecutionStatus } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { StoredOptions } from "../engine-options.ts";
import type { Executions } from "../executions.ts";
import { KEY_LIFE_MS, KEY_SWEEP_MS } from "../idempotency/token.ts";
import type { Intake } from "../inbox/intake.ts";
import type { Page, Query } from "../store/store.ts";

const UNFINISHED: readonly ExecutionStatus[] = [
  "pending",
  "validating",
  "running",
  "paused",
  "parked",
  "failing",
  "cancelling",
];
const PAGE = 200;
const CLAIM_AGAIN_MS = 1000;

export interface TenurePorts {
  readonly options: StoredOptions;
  readonly executions: Executions;
  readonly intake: Intake;
  readonly environment: Environment;
  isClosed(): boolean;
}

export class Tenure {
  readonly #ports: TenurePorts;
  #isOwner = false;
  #isRecovered = false;

  constructor(ports: TenurePorts) {
    this.#ports = ports;
  }

  get isOwner(): boolean {
    return this.#isOwner;
  }

  async begin(): Promise<void> {
    const mode = this.#ports.options.mode ?? "own";
    this.#isOwner = mode === "own" && (this.#ports.options.ownership?.tryOwn() ?? true);
    if (this.#isOwner) await this.#recover();
    if (this.#ports.isClosed()) return;
    this.#ports.executions.after(KEY_SWEEP_MS, () => void this.#sweep());
    if (this.#ports.options.pollMs !== undefined)
      this.#ports.executions.after(this.#ports.options.pollMs, () => void this.#poll());
  }

  /** Loads what is due now, and makes a note of when the rest will be. */
  async #recover(): Promise<void> {
    await this.#ports.intake.take();
    await this.#each({ status: UNFINISHED }, (id, wakeAt) => this.#wake(id, wakeAt));
    this.#isRecovered = true;
  }

  async #each(
    query: Omit<Query, "limit" | "cursor">,
    see: (id: ExecutionId, wakeAt: EpochMs | null) => Promise<void>,
  ): Promise<void> {
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? {} : { cursor };
      const page: Page = await this.#ports.options.store.find({ ...query, ...from, limit: PAGE });
      for (const { id, projection, quarantined } of page.executions)
        if (quarantined === undefined) await see(id, projection.wakeAt);
      cursor = page.cursor;
    } while (cursor !== undefined && !this.#ports.isClosed());
  }

  async #wake(id: ExecutionId, wakeAt: number | null): Promise<void> {
    if (wakeAt === null) return;
    const inMs = wakeAt - this.#ports.environment.now();
    if (inMs <= 0) await this.#claim(id);
    else this.#ports.executions.wake(id, inMs, () => void this.#claim(id));
  }

  async #claim(id: ExecutionId): Promise<void> {
    try {
      if (!this.#ports.isClosed()) await this.#ports.executions.claim(id);
    } catch (error) {
      this.#ports.options.onFault?.(error, id);
      this.#ports.executions.wake(id, CLAIM_AGAIN_MS, () => void this.#claim(id));
    }
  }

  async #poll(): Promise<void> {
    if (this.#ports.isClosed()) return;
    try {
      if (
        !this.#isOwner &&
        (this.#ports.options.mode ?? "own") === "own" &&
        this.#ports.options.ownership?.tryOwn() === true
      ) {
        this.#isOwner = true;
      }
      // A recovery that failed is begun again, until everything that is unfinished was looked at.
      if (this.#isOwner && !this.#isRecovered) await this.#recover();
      else if (this.#isOwner) await this.#ports.intake.take();
    } catch (error) {
      this.#ports.options.onFault?.(error, undefined);
    }
    if (!this.#ports.isClosed()) this.#ports.executions.after(this.#ports.options.pollMs!, () => void this.#poll());
  }

  async #sweep(): Promise<void> {
    if (this.#ports.isClosed()) return;
    try {
      if (this.#isOwner) {
        const now = this.#ports.environment.now();
        await this.#ports.options.store.sweepKeys?.(epochMs(now - KEY_LIFE_MS));
        await this.#each({ dueBy: now }, (id) => this.#claim(id));
      }
    } catch (error) {
      this.#ports.options.onFault?.(error, undefined);
    }
    if (!this.#ports.isClosed()) this.#ports.executions.after(KEY_SWEEP_MS, () => void this.#sweep());
  }
}
