// What the executions of a process need from the engine around them.

import type { ExecutionId, World } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { EngineLimits } from "../api/engine-options.ts";
import type { Bus } from "../events/bus.ts";
import type { Registry } from "../registry/registry.ts";
import type { AttemptRuntime } from "../attempts/attempt-runtime.ts";
import type { Backup } from "../store/backup.ts";
import type { StoreAdmin } from "../store/store-admin.ts";
import type { MessageId, Store } from "../store/store.ts";
import type { AdmissionOptions } from "../turn/admission-controller.ts";

export interface ExecutionsOptions {
  readonly store: Store & Partial<StoreAdmin & Backup>;
  readonly environment: Environment;
  readonly registry: Registry;
  readonly attemptRuntime: AttemptRuntime;
  readonly bus: Bus;
  readonly limits: EngineLimits;
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
  /** An execution waits for somebody from now on. */
  readonly onParked: (id: ExecutionId, reason: string) => void;
  /** An attempt was abandoned, still runs, and holds a resource. */
  readonly holdsOn: (id: ExecutionId, step: string, resource: string) => void;
  /** An execution has nothing to do at the moment. */
  readonly idle: () => void;
}
