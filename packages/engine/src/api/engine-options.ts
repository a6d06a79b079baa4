// The options of an engine, composed of those that each folder declares, and the store that an engine opens by default.

import { createHash } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { SegnoError } from "@segno/kernel";
import type { AttemptOptions } from "../attempts/attempt-runtime.ts";
import type { Environment } from "../clock/environment.ts";
import type { LoggingOptions } from "../events/engine-logger.ts";
import { EXECUTION_LIMITS, type ExecutionLimits } from "../executions/executions-options.ts";
import { INBOX_LIMITS, type InboxLimits } from "../inbox/command-sender.ts";
import type { OwnershipOptions } from "../ownership/ownership.ts";
import type { RetentionOptions } from "../ownership/retention.ts";
import type { RegistryOptions } from "../registry/registry.ts";
import { answeringCodec, type Codec } from "../store/codec.ts";
import type { EngineStore } from "../store/engine-store.ts";
import { NoStore } from "../store/none/no-store.ts";
import type { SqliteStore } from "../store/sqlite/sqlite-store.ts";
import type { AdmissionOptions } from "../turn/admission-controller.ts";

export interface EngineOptions
  extends
    AdmissionOptions,
    AttemptOptions,
    LoggingOptions,
    OwnershipOptions,
    RegistryOptions,
    RetentionOptions,
    StoreOptions {
  readonly limits?: Partial<EngineLimits>;
  /**
   * How long functions that the engine was given may take to answer: schemas, secrets, classifier, resolver, subscribers, and
   * the function behind a workflow's `output`; 10 s when it is absent. Steps have their own `timeout`.
   */
  readonly callbackTimeoutMs?: number;
  readonly environment?: Environment;
}

export interface StoreOptions {
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
  /**
   * What to do with a SQLite file that another user created, or that was created on another machine: `accept`, the default,
   * goes on with what is in it, and takes the file as this user's from then on; `refuse` fails with `STORE_FOREIGN`. An engine
   * that goes on with its own executions only leaves such a file as it is.
   */
  readonly foreign?: "accept" | "refuse";
}

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

export interface EngineLimits extends ExecutionLimits, InboxLimits {}

export const ENGINE_LIMITS: EngineLimits = Object.freeze({ ...EXECUTION_LIMITS, ...INBOX_LIMITS });
