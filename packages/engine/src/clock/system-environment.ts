// The real environment: system clocks, one timer, and cryptographic randomness.

import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { epochMs, type EpochMs } from "@segno/kernel";
import type { AlarmTime, SystemPorts } from "./system-ports.ts";
import { SystemAlarm } from "./system-alarm.ts";
import { SystemClocks } from "./system-clocks.ts";

const POOL_BYTES = 4096;

/** How long deferred work may run before timers and sockets are handled. */
const SLICE_MS = 8;

/** Its continuation is a microtask; `queueMicrotask` would create an async resource for each call. */
const RESOLVED: Promise<void> = Promise.resolve();

export class SystemEnvironment implements SystemPorts {
  readonly workerId: string = `${hostname()}/${process.pid}`;
  readonly #clocks: SystemClocks;
  readonly #alarm: SystemAlarm;
  #pool: Buffer = Buffer.alloc(0);
  /** When the event loop last ticked; undefined if it has ticked since work was requested. */
  #turnedAt: number | undefined;

  constructor(clocks: SystemClocks = new SystemClocks()) {
    this.#clocks = clocks;
    this.#alarm = new SystemAlarm(clocks);
  }

  now(): EpochMs {
    return epochMs(this.#clocks.wall());
  }

  monotonic(): number {
    return this.#clocks.monotonic();
  }

  alarm(due: AlarmTime | undefined, ring: () => void): void {
    this.#alarm.set(due, ring);
  }

  /** Whether a pending alarm keeps the process alive. */
  protected keepAlive(isRef: boolean): void {
    this.#alarm.keepAlive(isRef);
  }

  defer(work: () => void): void {
    setImmediate(work);
  }

  callSoon(work: () => void): void {
    if (this.#turnedAt === undefined) this.#noteTurn();
    else if (performance.now() - this.#turnedAt > SLICE_MS) return this.defer(work);
    void RESOLVED.then(work);
  }

  #noteTurn(): void {
    this.#turnedAt = performance.now();
    setImmediate(() => {
      this.#turnedAt = undefined;
    });
  }

  /** A UUID of version 7: 48 bits of time, then random bits. */
  id(): string {
    const bytes = Buffer.from(this.#chance(16));
    bytes.writeUIntBE(this.#clocks.wall(), 0, 6);
    bytes[6] = (bytes[6]! & 0x0f) | 0x70;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = bytes.toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  /**
   * Random bytes are requested in large blocks, because a system call for every id costs more than the rest of a start.
   */
  #chance(bytes: number): Buffer {
    if (this.#pool.length < bytes) this.#pool = randomBytes(POOL_BYTES);
    const random = this.#pool.subarray(0, bytes);
    this.#pool = this.#pool.subarray(bytes);
    return random;
  }

  seed(): number {
    return this.#chance(4).readUInt32BE(0);
  }
}
