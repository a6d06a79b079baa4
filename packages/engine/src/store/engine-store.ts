// The store that an engine is opened with: the port, and those of the optional ports that the adapter has.

import type { Backup } from "./backup.ts";
import type { FileCheck } from "./file-check.ts";
import type { ProcessTable } from "./process-table.ts";
import type { StepLogs } from "./step-logs.ts";
import type { StoreAdmin } from "./store-admin.ts";
import type { Store } from "./store.ts";

/** A store; what it cannot do beyond that is refused when it is asked for. */
export type EngineStore = Store & Partial<StoreAdmin & Backup & StepLogs & ProcessTable & FileCheck>;
