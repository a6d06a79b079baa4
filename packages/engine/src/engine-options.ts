// What an engine is opened with, and where its journals go when nothing else is said.

import type { Definition } from "@segno/kernel";
import type { Environment } from "./clock/environment.ts";
import type { Logger } from "./events/logger.ts";
import type { BuiltWorkflow } from "./registry.ts";
import type { Agent, AgentFunction } from "./runners/agent.ts";
import { SCHEDULER_LIMITS, type SchedulerLimits } from "./scheduler/scheduler.ts";
import type { Backup } from "./store/backup.ts";
import type { Store } from "./store/store.ts";
import type { StoreAdmin } from "./store/store-admin.ts";
import { NoStore } from "./stores/none/no-store.ts";

export interface EngineOptions {
  /** Where journals are kept; a SQLite file when it is absent. */
  readonly store?: EngineStore | "none";
  /** The SQLite file; `.segno/segno.db` when it is absent. */
  readonly file?: string;
  /** `relaxed` may lose the last commits when the power fails, never when only the process does (JOURNAL-5). */
  readonly durability?: "full" | "relaxed";
  /**
   * Which thread writes the SQLite file. `main` is faster on a fast disk; `thread` keeps the event loop free while a slow one
   * writes. `auto`, the default, measures a commit when the file is opened; with `relaxed` the default is `main`.
   */
  readonly writer?: "auto" | "main" | "thread";
  /** Who may write to the store. Without it this engine is the only one. */
  readonly ownership?: Ownership;
  /** `readOnly` looks and never writes; `post` also posts wishes; `own` goes on with what is unfinished. */
  readonly mode?: "own" | "post" | "readOnly";
  readonly workflows?: readonly (Definition | BuiltWorkflow)[];
  readonly agents?: Readonly<Record<string, AgentFunction | Agent>>;
  readonly limits?: Partial<EngineLimits>;
  /** How long ended executions are kept, with everything that belongs to them, their keys included; for ever when it is absent (JOURNAL-7). */
  readonly retention?: { readonly endedMs: number };
  readonly environment?: Environment;
  /** How often to look for what others posted; never when it is absent. */
  readonly pollMs?: number;
  /**
   * Where one line an event goes, and whatever steps log (EVENT-5); a pino logger fits. Without it, what steps log and what
   * goes wrong in the engine is written to stderr, and events are not.
   */
  readonly logger?: Logger;
  /** Told of faults and of executions that were set aside. */
  readonly onFault?: (error: unknown, executionId: string | undefined) => void;
}

/** A store; what it cannot do beyond that is refused when it is asked for. */
export type EngineStore = Store & Partial<StoreAdmin & Backup>;

export type StoredOptions = Omit<EngineOptions, "store"> & { readonly store: EngineStore };

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
  const store = await openSqliteStore(file, { durability, writer: writerOf(options) });
  return { ...options, pollMs, store, ownership: new FileOwnership(file) };
}

/** Who does not own the file commits nothing, so there is nothing to measure. */
function writerOf({ mode = "own", durability = "full", writer }: EngineOptions): "auto" | "main" | "thread" {
  if (mode !== "own") return "main";
  return writer ?? (durability === "full" ? "auto" : "main");
}

export interface Ownership {
  /**
   * True when this process is the owner now; false when somebody else is. Never waits for others. `onLost` is called once,
   * when what was owned is not owned any more and was not released; whoever lost it may try again. A lock of the operating
   * system is never lost, a lease is.
   */
  tryOwn(onLost: () => void): Promise<boolean>;
  release(): void;
}

export interface EngineLimits extends SchedulerLimits {
  /** Executions in memory; a start beyond them waits. */
  readonly liveExecutions: number;
  /** Posted messages that wait for one execution; beyond them a post is refused (`INBOX_FULL`). */
  readonly inbox: number;
  /** Events of one execution; beyond them it is parked, so that what goes round for ever does not fill the disk. */
  readonly journal: number;
}

export const ENGINE_LIMITS: EngineLimits = Object.freeze({
  ...SCHEDULER_LIMITS,
  liveExecutions: 10_000,
  inbox: 1000,
  journal: 1_000_000,
});

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
