// The life of an engine: it takes ownership of its store when it opens, and gives it back when it closes.

import type { ExecutionId } from "@segno/kernel";
import type { AttemptRuntime } from "../attempts/attempt-runtime.ts";
import type { Bus } from "../events/bus.ts";
import type { FaultReports } from "../events/fault-reports.ts";
import type { Reconciler } from "../executions/reconciler.ts";
import type { Shutdown } from "../executions/shutdown.ts";
import type { StoreAccess } from "../inbox/store-access.ts";
import type { OwnershipLoop } from "../ownership/ownership-loop.ts";
import type { EngineSinks } from "../sinks/engine-sinks.ts";
import type { CloseOptions } from "./close-check.ts";

/** A part that stops at once when the engine closes. */
export interface StoppablePart {
  close(): void;
}

export interface EngineLifecyclePorts {
  readonly access: StoreAccess;
  readonly ownershipLoop: OwnershipLoop;
  readonly shutdown: Shutdown;
  /** Stopped in this order. */
  readonly stoppable: readonly StoppablePart[];
  readonly runtime: AttemptRuntime;
  readonly reconciler: Reconciler;
  readonly outputs: EngineOutputs;
}

/** The last parts that get something: events of the last commits, and faults. */
export interface EngineOutputs {
  readonly bus: Pick<Bus, "flush">;
  readonly sinks: Pick<EngineSinks, "close">;
  readonly faults: FaultReports;
}

export class EngineLifecycle {
  readonly #ports: EngineLifecyclePorts;
  #closing: Promise<void> | undefined;

  constructor(ports: EngineLifecyclePorts) {
    this.#ports = ports;
  }

  get isOwner(): boolean {
    return this.#ports.access.isOwner;
  }

  /** The current fault of the store, if there is one. */
  get lastFault(): unknown {
    return this.#ports.reconciler.lastFault;
  }

  assertOpen(): void {
    this.#ports.access.assertOpen();
  }

  /** Reports a fault of an execution. */
  report(error: unknown, id: ExecutionId): void {
    this.#ports.outputs.faults.report(error, id);
  }

  async open(): Promise<void> {
    try {
      await this.#ports.ownershipLoop.begin();
    } catch (error) {
      // If opening fails, the engine closes: no part of it keeps running, and another process may own the store.
      await this.close({});
      throw error;
    }
  }

  close(options: CloseOptions): Promise<void> {
    return (this.#closing ??= this.#close(options));
  }

  async #close({ drainMs }: CloseOptions): Promise<void> {
    const { access, shutdown, stoppable, runtime, ownershipLoop, outputs } = this.#ports;
    access.close();
    if (drainMs !== undefined) await shutdown.drain(drainMs);
    if (access.isOwner) await shutdown.forceStopAttempts("the engine was closed");
    for (const part of stoppable) part.close();
    await runtime.close();
    // Pending writes must reach the store before another process can own it.
    await shutdown.untilCommitted();
    outputs.bus.flush();
    await outputs.sinks.close();
    ownershipLoop.release();
    await access.store.close();
    outputs.faults.close();
  }
}
