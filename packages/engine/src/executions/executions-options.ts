// Dependencies of the executions of a process on the engine around them.

import type { ExecutionId, World } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Bus } from "../events/bus.ts";
import type { ExecutionWarnings } from "../events/engine-logger.ts";
import type { Registry } from "../registry/registry.ts";
import type { AttemptRuntime } from "../attempts/attempt-runtime.ts";
import { SCHEDULER_LIMITS, type SchedulerLimits } from "../scheduler/scheduler-ports.ts";
import type { Backup } from "../store/backup.ts";
import type { StoreAdmin } from "../store/store-admin.ts";
import type { MessageId, Store } from "../store/store.ts";
import type { AdmissionOptions } from "../turn/admission-controller.ts";

/** The limits of the executions in memory. */
export interface ExecutionLimits extends SchedulerLimits {
  /** The maximum number of executions in memory. A start beyond the limit waits. */
  readonly liveExecutions: number;
  /**
   * The maximum number of events of one execution. An execution beyond the limit is parked, so that an endless loop
   * does not fill the disk.
   */
  readonly journal: number;
}

export const EXECUTION_LIMITS: ExecutionLimits = Object.freeze({
  ...SCHEDULER_LIMITS,
  liveExecutions: 10_000,
  journal: 1_000_000,
});

export interface ExecutionsOptions extends ExecutionWarnings {
  readonly store: Store & Partial<StoreAdmin & Backup>;
  readonly environment: Environment;
  readonly registry: Registry;
  readonly attemptRuntime: AttemptRuntime;
  readonly bus: Bus;
  readonly limits: ExecutionLimits;
  readonly scheduling: AdmissionOptions;
  readonly check: World["check"];
  readonly report: (error: unknown, execution: ExecutionId | undefined) => void;
  /** Called with messages that an execution had not consumed when it was evicted. They are still in the inbox. */
  readonly putBack: (messages: readonly MessageId[]) => void;
  /** Called when messages are durably taken. */
  readonly onMessagesTaken: (messages: readonly MessageId[]) => void;
  /** Called when more executions are in memory than the limit allows. */
  readonly onMemoryFull: () => void;
  /** Called when an execution leaves memory. */
  readonly onRemoved: () => void;
  /** Called when an execution has nothing to do at the moment. */
  readonly idle: () => void;
}
