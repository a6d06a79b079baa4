// What an engine is opened with, and where its journals go when nothing else is said.

import type { Definition } from "@segno/kernel";
import type { Environment } from "./clock/environment.ts";
import type { BuiltWorkflow } from "./registry.ts";
import type { Agent, AgentFunction } from "./runners/agent.ts";
import type { SchedulerLimits } from "./scheduler/scheduler.ts";
import type { Store } from "./store/store.ts";
import type { StoreAdmin } from "./store/store-admin.ts";
import { NoStore } from "./stores/none/no-store.ts";

export interface EngineOptions {
  /** Where journals are kept; a SQLite file when it is absent. */
  readonly store?: (Store & Partial<StoreAdmin>) | "none";
  /** The SQLite file; `.segno/segno.db` when it is absent. */
  readonly file?: string;
  /** `relaxed` may lose the last commits when the power fails, never when only the process does (JOURNAL-5). */
  readonly durability?: "full" | "relaxed";
  /** Who may write to the store. Without it this engine is the only one. */
  readonly ownership?: Ownership;
  /** `readOnly` looks and never writes; `post` also posts wishes; `own` goes on with what is unfinished. */
  readonly mode?: "own" | "post" | "readOnly";
  readonly workflows?: readonly (Definition | BuiltWorkflow)[];
  readonly agents?: Readonly<Record<string, AgentFunction | Agent>>;
  readonly limits?: Partial<EngineLimits>;
  readonly environment?: Environment;
  /** How often to look for what others posted; never when it is absent. */
  readonly pollMs?: number;
  /** Told of faults and of executions that were set aside. */
  readonly onFault?: (error: unknown, executionId: string | undefined) => void;
}

export type StoredOptions = Omit<EngineOptions, "store"> & { readonly store: Store & Partial<StoreAdmin> };

const FILE_DEFAULT = ".segno/segno.db";
const POLL_MS = 100;

export async function withStore(options: EngineOptions): Promise<StoredOptions> {
  const { store } = options;
  if (store === undefined) return withFile(options);
  return { ...options, store: store === "none" ? new NoStore() : store };
}

/** The embedded store. It is loaded only when it is wanted: a test on a store of its own never opens a file. */
async function withFile(options: EngineOptions): Promise<StoredOptions> {
  const { file = FILE_DEFAULT, durability = "full", pollMs = POLL_MS } = options;
  const [{ openSqliteStore }, { Ownership: FileOwnership }] = await Promise.all([
    import("./stores/sqlite/sqlite-store.ts"),
    import("./stores/sqlite/ownership.ts"),
  ]);
  const store = await openSqliteStore(file, { durability });
  return { ...options, pollMs, store, ownership: new FileOwnership(file) };
}

export interface Ownership {
  tryOwn(): boolean;
  release(): void;
}

export interface EngineLimits extends SchedulerLimits {
  /** Executions in memory; a start beyond them waits. */
  readonly liveExecutions: number;
}

export interface StartOptions {
  readonly id?: string;
  readonly idempotencyKey?: string;
  readonly priority?: number;
  readonly correlationId?: string;
}

/** The input of a built workflow has its type; one that may be null may be left out. */
export type StartArguments<Given> = null extends Given
  ? [input?: Given, options?: StartOptions]
  : [input: Given, options?: StartOptions];
