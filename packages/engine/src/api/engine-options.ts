// The options of an engine, composed of those that each folder declares, and the store that an engine opens by default.

import { createHash } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { SegnoError } from "@segno/kernel";
import { ARTIFACT_LIMITS, type ArtifactLimits } from "../attempts/attempt-artifacts.ts";
import type { AttemptOptions } from "../attempts/attempt-options.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { LoggingOptions } from "../events/engine-logger.ts";
import { EXECUTION_LIMITS, type ExecutionLimits } from "../executions/execution-limits.ts";
import { INBOX_LIMITS, type InboxLimits } from "../inbox/command-sender.ts";
import type { OwnershipOptions } from "../ownership/ownership.ts";
import type { RetentionOptions } from "../ownership/retention.ts";
import type { RegistryOptions } from "../registry/registry.ts";
import type { EngineSinkOptions } from "../sinks/engine-sinks.ts";
import { checkedCodec, type Codec } from "../store/codec.ts";
import type { EngineStore } from "../store/engine-store.ts";
import { NoStore } from "../store/none/no-store.ts";
import type { SqliteStore } from "../store/sqlite/sqlite-store.ts";
import type { AdmissionOptions } from "../turn/admission-controller.ts";

/** Options of `Engine.open`. */
export interface EngineOptions
  extends
    AdmissionOptions,
    AttemptOptions,
    EngineSinkOptions,
    LoggingOptions,
    OwnershipOptions,
    RegistryOptions,
    RetentionOptions,
    StoreOptions {
  /** Limits of this engine. `ENGINE_LIMITS` has the defaults. */
  readonly limits?: Partial<EngineLimits>;
  /**
   * The time limit of callbacks: schemas, secrets, classifier, resolver, subscribers, and the function of a workflow's
   * `output`. The default is 10 s. Steps have their own `timeout`.
   */
  readonly callbackTimeoutMs?: number;
  /** Clocks and randomness. Tests replace them; the default is the system. */
  readonly environment?: SystemPorts;
}

/** Options of an engine about the store of its journals. */
export interface StoreOptions {
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
   * How to treat a SQLite file that another user or another machine created. `accept`, the default, continues its
   * unfinished executions and marks the file as this user's from then on. `refuse` fails with `STORE_FOREIGN`. An
   * engine with `resume: "own"` leaves the mark of such a file unchanged.
   */
  readonly foreign?: "accept" | "refuse";
}

export type StoredOptions = Omit<EngineOptions, "store"> & {
  readonly store: EngineStore;
  /**
   * Distinguishes processes started for this store from those of other stores. A store that only one engine can use
   * gets a new id.
   */
  readonly storeId?: string;
  /** The real path of the SQLite file. */
  readonly journalFile?: string;
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
    throw new SegnoError("JOURNAL_MISSING", `there is no journal at ${file}; check the path`);
  if (!isLogTrusted(options)) refuseForeignLog(file);
  const ownership = new FileOwnership(file);
  const store = await openSqliteStore(file, {
    removesLog: () => ownership.hasOwned,
    durability,
    readOnly: mode === "readOnly",
    writer: writerChoice(options),
    ...(codec === undefined ? {} : { codec: checkedCodec(codec) }),
  });
  try {
    checkOrigin(store, file, options);
    return { ...options, pollMs, store, ownership, storeId: storeIdentity(file, store.id), journalFile: file };
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
    `${file} was created by another user or on another machine; its unfinished executions would run here`,
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

/** The limits of an engine. */
export interface EngineLimits extends ExecutionLimits, InboxLimits, ArtifactLimits {}

export const ENGINE_LIMITS: EngineLimits = Object.freeze({ ...EXECUTION_LIMITS, ...INBOX_LIMITS, ...ARTIFACT_LIMITS });
