// The parts of an engine that its public methods call.

import type { AttemptRuntime } from "../attempts/attempt-runtime.ts";
import type { EngineExtensions } from "./engine-extensions.ts";
import type { HandlePorts } from "./engine-handle.ts";
import type { EngineLifecycle } from "./engine-lifecycle.ts";
import type { EngineWorkflows } from "./engine-workflows.ts";
import type { StoreMaintenance } from "./store-maintenance.ts";
import type { Subscriptions } from "./subscriptions.ts";

export interface EngineParts {
  readonly workflows: EngineWorkflows;
  /** Shared by all handles. */
  readonly handles: HandlePorts;
  readonly subscriptions: Subscriptions;
  readonly maintenance: StoreMaintenance;
  readonly runtime: AttemptRuntime;
  readonly extensions: EngineExtensions;
  readonly lifecycle: EngineLifecycle;
}
