// The store of an engine: the store port, and the optional ports that an adapter implements.

import type { Backup } from "./backup.ts";
import type { FileCheck } from "./file-check.ts";
import type { ProcessRecords } from "./process-records.ts";
import type { StepLogs } from "./step-logs.ts";
import type { StoreAdmin } from "./store-admin.ts";
import type { Store } from "./store.ts";

/** A store with optional capabilities. An operation that needs a missing capability fails when it is called. */
export type EngineStore = Store & Partial<StoreAdmin & Backup & StepLogs & ProcessRecords & FileCheck>;
