// What the executions of a process need from the engine around them.

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
  /** Executions in memory; a start beyond them waits. */
  readonly liveExecutions: number;
  /** Events of one execution; beyond them it is parked, so that what goes round for ever does not fill the disk. */
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
  /** Messages that an execution had in hand when it was let go: they are still posted. */
  readonly putBack: (messages: readonly MessageId[]) => void;
  /** Messages are durably taken. */
  readonly onMessagesTaken: (messages: readonly MessageId[]) => void;
  /** More executions are in memory than there should be. */
  readonly onMemoryFull: () => void;
  /** One execution less is in memory. */
  readonly onRemoved: () => void;
  /** An execution has nothing to do at the moment. */
  readonly idle: () => void;
}
