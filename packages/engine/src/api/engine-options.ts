// Options of an engine, and its default store.

import { createHash } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { SegnoError, type BreakerDefinition, type Definition, type ResourceDefinition } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import type { Logger } from "../events/logger.ts";
import type { BuiltWorkflow } from "../registry/registry.ts";
import type { Agent, AgentFunction } from "../agents/agent.ts";
import type { FailureOptions } from "../runners/failure-rules.ts";
import type { HttpOptions } from "../runners/http/http-runner.ts";
import type { Strategy } from "../scheduler/strategy.ts";
import type { SecretProvider, SecretSource } from "../secrets/source.ts";
import { SCHEDULER_LIMITS, type SchedulerLimits } from "../scheduler/scheduler-ports.ts";
import type { Backup } from "../store/backup.ts";
import type { Store } from "../store/store.ts";
import { answeringCodec, type Codec } from "../store/codec.ts";
import type { FileCheck } from "../store/file-check.ts";
import type { ProcessTable } from "../store/process-table.ts";
import type { StepLogs } from "../store/step-logs.ts";
import type { StoreAdmin } from "../store/store-admin.ts";
import { NoStore } from "../store/none/no-store.ts";
import type { SqliteStore } from "../store/sqlite/sqlite-store.ts";

export interface EngineOptions {
  /** The store of the journals. The default is a SQLite file (see `file`). `"none"` keeps executions in memory only. */
  readonly store?: EngineStore | "none";
  /** The path of the SQLite file. The default is `.segno/segno.db`. */
  readonly file?: string;
  /**
   * With `relaxed`, a power failure may lose the last commits; a crash of the process alone never does (JOURNAL-5). The
   * default is `full`.
   */
  readonly durability?: "full" | "relaxed";
  /**
   * The thread that writes the SQLite file. `main` is faster on a fast disk. `thread` keeps the event loop free while a
   * slow disk writes. `auto`, the default, measures one commit when the file is opened. With `durability: "relaxed"`
   * the default is `main`.
   */
  readonly writer?: "auto" | "main" | "thread";
  /** A codec that transforms bodies on their way to the store and back, for example to encrypt them (DATA-11). */
  readonly codec?: Codec;
  /**
   * Decides which process owns the store and may write to it. With a `store` and no `ownership`, this engine assumes
   * that it is the only one.
   */
  readonly ownership?: Ownership;
  /**
   * `own`, the default, owns the store and continues unfinished executions. `post` reads, and posts commands for the
   * owner. `readOnly` never writes.
   */
  readonly mode?: "own" | "post" | "readOnly";
  /**
   * The unfinished executions that this engine continues. `all` is the default. `own` continues only executions that
   * this engine starts, that its caller asks about, or that others post while it is open (N6).
   */
  readonly resume?: "all" | "own";
  /**
   * How to treat a SQLite file that another user or another machine created. `accept`, the default, continues its
   * unfinished executions and marks the file as this user's from then on. `refuse` fails with `STORE_FOREIGN`. An
   * engine with `resume: "own"` leaves the mark of such a file unchanged.
   */
  readonly foreign?: "accept" | "refuse";
  readonly workflows?: readonly (Definition | BuiltWorkflow)[];
  readonly agents?: Readonly<Record<string, AgentFunction | Agent>>;
  readonly limits?: Partial<EngineLimits>;
  /**
   * `endedMs` is how long the store keeps ended executions, with their keys and all other data. `logsMs` is how long it
   * keeps the output of their steps. By default the store keeps both for ever (JOURNAL-7).
   */
  readonly retention?: { readonly endedMs?: number; readonly logsMs?: number };
  /**
   * The working directory of commands, and the base of module paths. The default is the working directory of the
   * process.
   */
  readonly cwd?: string;
  /**
   * Environment variables that commands inherit, in addition to the ones that every program needs. A trailing `*`
   * matches any suffix.
   */
  readonly inheritEnv?: readonly string[];
  /** The source of secrets. The default is the environment. */
  readonly secrets?: SecretSource | SecretProvider;
  /** Rules that classify failures and decide on retries beyond the built-in rules (FAIL-7). */
  readonly failures?: FailureOptions;
  readonly http?: Partial<Pick<HttpOptions, "allowPrivate" | "limits">>;
  /** Named resources. They override the resources that workflows declare (SCHED-4). */
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
  /** The order in which steps of one execution run. The default is `priority` (SCHED-5). */
  readonly strategy?: Strategy;
  /**
   * The time limit of callbacks: schemas, secrets, classifier, resolver, subscribers, and the function of a workflow's
   * `output`. The default is 10 s. Steps have their own `timeout`.
   */
  readonly callbackTimeoutMs?: number;
  /** The circuit breaker of every agent whose workflow defines none. `false` turns it off (FAIL-6). */
  readonly breaker?: BreakerDefinition | false;
  readonly environment?: Environment;
  /**
   * The interval between polls for messages that other processes posted. With the default SQLite file it is 100 ms.
   * With a `store` the default is not to poll.
   */
  readonly pollMs?: number;
  /**
   * Receives one line per event, and all lines that steps log (EVENT-5). A pino logger fits. Without a logger, the
   * engine writes step logs and engine faults to stderr, and does not log events.
   */
  readonly logger?: Logger;
  /**
   * How the engine treats output that functions and modules of this process write with `console` or to stdout and
   * stderr. The engine masks this output and stores it in the log of the step. `terminal`, the default, also writes the
   * masked output to the terminal. `log` does not; it is for programs that draw on the terminal themselves.
   */
  readonly functionOutput?: "terminal" | "log";
  /**
   * Called for faults of the engine and for quarantined executions. The same fault is reported at most once a minute;
   * `suppressed` counts the reports that were left out since the last one.
   */
  readonly onFault?: (error: unknown, executionId: string | undefined, suppressed: number) => void;
}

/** A store with optional capabilities. An operation that needs a missing capability fails when it is called. */
export type EngineStore = Store & Partial<StoreAdmin & Backup & StepLogs & ProcessTable & FileCheck>;

export type StoredOptions = Omit<EngineOptions, "store"> & {
  readonly store: EngineStore;
  /**
   * Distinguishes processes started for this store from those of other stores. A store that only one engine can use
   * gets a new id.
   */
  readonly storeId?: string;
};

const FILE_DEFAULT = ".segno/segno.db";
const POLL_MS = 100;

export async function withStore(options: EngineOptions): Promise<StoredOptions> {
  const { store } = options;
  if (store === undefined) return withFile(options);
  return { ...options, store: store === "none" ? new NoStore() : store };
}

/** Opens the SQLite store. The import is lazy, so that a test with its own store never loads SQLite. */
async function withFile(options: EngineOptions): Promise<StoredOptions> {
  const { file: given = FILE_DEFAULT, durability = "full", pollMs = POLL_MS } = options;
  const [{ openSqliteStore }, { StoreOwnership: FileOwnership }, { refuseForeignLog }] = await Promise.all([
    import("../store/sqlite/open-sqlite-store.ts"),
    import("../store/sqlite/store-ownership.ts"),
    import("../store/sqlite/log-record.ts"),
  ]);
  const file = realPath(given);
  const { codec, mode } = options;
  // A read-only engine creates no file, so that a misspelt path fails.
  if (mode === "readOnly" && !existsSync(file))
    throw new SegnoError("JOURNAL_MISSING", `there is no journal at ${file}`);
  if (!isLogTrusted(options)) refuseForeignLog(file);
  const ownership = new FileOwnership(file);
  const store = await openSqliteStore(file, {
    removesLog: () => ownership.hasOwned,
    durability,
    readOnly: mode === "readOnly",
    writer: writerChoice(options),
    ...(codec === undefined ? {} : { codec: answeringCodec(codec) }),
  });
  try {
    checkOrigin(store, file, options);
    return { ...options, pollMs, store, ownership, storeId: storeIdentity(file, store.id) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Unfinished executions in a foreign store may run commands here, so the user decides whether to accept them. */
function checkOrigin(store: SqliteStore, file: string, options: EngineOptions): void {
  const { mode = "own", resume = "all", foreign = "accept" } = options;
  if (mode !== "own" || resume === "own" || !store.isForeign) return;
  if (foreign === "accept") return store.adopt();
  throw new SegnoError(
    "STORE_FOREIGN",
    `${file} was created by another user or on another machine; what is unfinished in it would run here`,
  );
}

/** An engine that does not continue executions has no reason to accept a write-ahead log that another user wrote. */
function isLogTrusted({ mode = "own", resume = "all", foreign = "accept" }: EngineOptions): boolean {
  return mode === "readOnly" || (mode === "own" && resume === "all" && foreign === "accept");
}

/**
 * The canonical path of a file, independent of links and of later changes of the working directory. Locks use this path
 * (LEASE-1).
 */
function realPath(file: string): string {
  const path = resolve(file);
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}

/**
 * Identifies a file by device and inode. The owner of a copy therefore does not kill processes of the original, and a
 * moved file still matches the commands that were started for it. The id of the store is included because inodes are
 * reused.
 */
function storeIdentity(file: string, id: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return createHash("sha256").update(`${dev} ${ino} ${id}`).digest("hex").slice(0, 16);
}

/** A process that does not own the file commits nothing, so `auto` has nothing to measure. */
function writerChoice({ mode = "own", durability = "full", writer }: EngineOptions): "auto" | "main" | "thread" {
  if (mode !== "own") return "main";
  return writer ?? (durability === "full" ? "auto" : "main");
}

export interface Ownership {
  /**
   * Tries to take ownership, without waiting for other processes. True means that this process owns the store now.
   * `onLost` is called once if ownership is lost without `release`; the caller may then try again. A lock of the
   * operating system is never lost; a lease can be.
   */
  tryOwn(onLost: () => void): Promise<boolean>;
  /**
   * The owner calls this at every poll, for locks that can be dropped silently. It takes the lock again or calls
   * `onLost`.
   */
  verify?(): void;
  release(): void;
}

export interface EngineLimits extends SchedulerLimits {
  /** The maximum number of executions in memory. A start beyond the limit waits. */
  readonly liveExecutions: number;
  /**
   * The maximum number of posted messages that wait for one execution. A post beyond the limit fails with `INBOX_FULL`.
   */
  readonly inbox: number;
  /**
   * The maximum number of events of one execution. An execution beyond the limit is parked, so that an endless loop
   * does not fill the disk.
   */
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
  /** Cancels the execution when it aborts. A signal that has already aborted refuses the start (CANCEL-1). */
  readonly signal?: AbortSignal;
}

/** The input has the type that the built workflow declares. An input that may be null may be omitted. */
export type StartArguments<Given> = null extends Given
  ? [input?: Given, options?: StartOptions]
  : [input: Given, options?: StartOptions];
