// What an engine is opened with, and where its journals go when nothing else is said.

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
  /** What values pass through on their way to the file and back, such as encryption (DATA-11). */
  readonly codec?: Codec;
  /** Who may write to the store. Without it this engine is the only one. */
  readonly ownership?: Ownership;
  /** `readOnly` looks and never writes; `post` also posts commands; `own` goes on with what is unfinished. */
  readonly mode?: "own" | "post" | "readOnly";
  /**
   * Which unfinished executions this engine goes on with: `all`, the default, or its `own`, which are those that it starts, is
   * asked about, or that others post while it is open (N6).
   */
  readonly resume?: "all" | "own";
  /**
   * What to do with a SQLite file that another user created, or that was created on another machine: `accept`, the default,
   * goes on with what is in it, and takes the file as this user's from then on; `refuse` fails with `STORE_FOREIGN`. An engine
   * that goes on with its own executions only leaves such a file as it is.
   */
  readonly foreign?: "accept" | "refuse";
  readonly workflows?: readonly (Definition | BuiltWorkflow)[];
  readonly agents?: Readonly<Record<string, AgentFunction | Agent>>;
  readonly limits?: Partial<EngineLimits>;
  /**
   * How long ended executions are kept, with everything that belongs to them, their keys included, and how long what their
   * steps wrote is; for ever when it is absent (JOURNAL-7).
   */
  readonly retention?: { readonly endedMs?: number; readonly logsMs?: number };
  /** Where commands run, and where paths of modules begin; the working directory of the process when it is absent. */
  readonly cwd?: string;
  /** Environment variables that commands inherit, beside what every program needs; a `*` at the end stands for any rest. */
  readonly inheritEnv?: readonly string[];
  /** Where secrets come from; the environment when it is absent. */
  readonly secrets?: SecretSource | SecretProvider;
  /** What users know better about failures (FAIL-7). */
  readonly failures?: FailureOptions;
  readonly http?: Partial<Pick<HttpOptions, "allowPrivate" | "limits">>;
  /** Named resources, over what workflows say of them (SCHED-4). */
  readonly resources?: Readonly<Record<string, ResourceDefinition>>;
  /** In which order the steps of one execution run; `priority` when it is absent (SCHED-5). */
  readonly strategy?: Strategy;
  /**
   * How long functions that the engine was given may take to answer: schemas, secrets, classifier, resolver, subscribers, and
   * the function behind a workflow's `output`; 10 s when it is absent. Steps have their own `timeout`.
   */
  readonly callbackTimeoutMs?: number;
  /** Of every agent whose workflow says nothing; `false` is none (FAIL-6). */
  readonly breaker?: BreakerDefinition | false;
  readonly environment?: Environment;
  /** How often to look for what others posted; never when it is absent. */
  readonly pollMs?: number;
  /**
   * Where one line an event goes, and whatever steps log (EVENT-5); a pino logger fits. Without it, what steps log and what
   * goes wrong in the engine is written to stderr, and events are not.
   */
  readonly logger?: Logger;
  /**
   * Where functions and modules of this process write with `console` and to stdout and stderr. What they write is kept with
   * the log of their step, masked; `terminal`, the default, also shows it there, masked. `log` does not: for programs that own
   * the terminal themselves.
   */
  readonly functionOutput?: "terminal" | "log";
  /**
   * Told of faults and of executions that were quarantined, of each fault once a minute; `suppressed` says how often the same
   * one came since it was last told.
   */
  readonly onFault?: (error: unknown, executionId: string | undefined, suppressed: number) => void;
}

/** A store; what it cannot do beyond that is refused when it is asked for. */
export type EngineStore = Store & Partial<StoreAdmin & Backup & StepLogs & ProcessTable & FileCheck>;

export type StoredOptions = Omit<EngineOptions, "store"> & {
  readonly store: EngineStore;
  /** Tells what was started for this store from what was started for others; a new one where only one engine has it. */
  readonly storeId?: string;
};

const FILE_DEFAULT = ".segno/segno.db";
const POLL_MS = 100;

export async function withStore(options: EngineOptions): Promise<StoredOptions> {
  const { store } = options;
  if (store === undefined) return withFile(options);
  return { ...options, store: store === "none" ? new NoStore() : store };
}

/** The embedded store. It is loaded only when it is wanted: a test on a store of its own never opens a file. */
async function withFile(options: EngineOptions): Promise<StoredOptions> {
  const { file: given = FILE_DEFAULT, durability = "full", pollMs = POLL_MS } = options;
  const [{ openSqliteStore }, { StoreOwnership: FileOwnership }, { refuseForeignLog }] = await Promise.all([
    import("../store/sqlite/open-sqlite-store.ts"),
    import("../store/sqlite/store-ownership.ts"),
    import("../store/sqlite/log-record.ts"),
  ]);
  const file = realPath(given);
  const { codec, mode } = options;
  // Who only looks makes nothing, least of all because of a misspelt path.
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

/** What is in a foreign store may run commands here, so that is somebody's decision. */
function checkOrigin(store: SqliteStore, file: string, options: EngineOptions): void {
  const { mode = "own", resume = "all", foreign = "accept" } = options;
  if (mode !== "own" || resume === "own" || !store.isForeign) return;
  if (foreign === "accept") return store.adopt();
  throw new SegnoError(
    "STORE_FOREIGN",
    `${file} was created by another user or on another machine; what is unfinished in it would run here`,
  );
}

/** A process that does not go on with what is in a store has no reason to take a log that somebody else wrote. */
function isLogTrusted({ mode = "own", resume = "all", foreign = "accept" }: EngineOptions): boolean {
  return mode === "readOnly" || (mode === "own" && resume === "all" && foreign === "accept");
}

/** One name for each file, whatever links lead to it and wherever the process goes: by it the file is locked (LEASE-1). */
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
 * Names a file by its device and inode: the owner of a copy does not end what the original's owner started, and a file that
 * was moved is still the one under whose name commands were started. The store's id is part of it, because inodes are used
 * again.
 */
function storeIdentity(file: string, id: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return createHash("sha256").update(`${dev} ${ino} ${id}`).digest("hex").slice(0, 16);
}

/** Who does not own the file commits nothing, so there is nothing to measure. */
function writerChoice({ mode = "own", durability = "full", writer }: EngineOptions): "auto" | "main" | "thread" {
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
  /** Called at every poll of the owner, where a lock can be dropped without a word. Takes it again, or calls `onLost`. */
  verify?(): void;
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
  /** Cancels the execution when it fires; one that has fired already refuses the start (CANCEL-1). */
  readonly signal?: AbortSignal;
}

/** The input of a built workflow has its type; one that may be null may be left out. */
export type StartArguments<Given> = null extends Given
  ? [input?: Given, options?: StartOptions]
  : [input: Given, options?: StartOptions];
