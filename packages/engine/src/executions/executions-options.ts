// Dependencies of the executions of a process on the engine around them.

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
  /** Called with messages that an execution had not consumed when it was evicted. They are still in the inbox. */
  readonly putBack: (messages: readonly MessageId[]) => void;
  /** Called when messages are durably taken. */
  readonly onMessagesTaken: (messages: readonly MessageId[]) => void;
  /** Called when more executions are in memory than the limit allows. */
  readonly onMemoryFull: () => void;
  /** Called when an execution leaves memory. */
  readonly onRemoved: () => void;
  /** Called when an execution is parked and waits for a person. */
  readonly onParked: (id: ExecutionId, reason: string) => void;
  /** Called when an abandoned attempt still runs and holds a resource. */
  readonly holdsOn: (id: ExecutionId, step: string, resource: string) => void;
  /** Called when an execution has nothing to do at the moment. */
  readonly idle: () => void;
}
