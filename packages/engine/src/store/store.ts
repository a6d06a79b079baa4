// The store port of the engine.
//
// A store keeps journals, their bodies and posted messages, durably and atomically. It does not interpret events:
// blocks are text, and queries use only the projection. The rules for the author of a store (K1 to K14) are in the
// comments of `Store` and of `StoreFault`, which are published.

import type { ContentHash, EpochMs, ExecutionId, ExecutionStatus } from "@segno/kernel";
import type { DocumentStore } from "./document-store.ts";

/**
 * The rules of a store:
 *
 * - K1. `commit` writes the whole batch in one transaction or none of it, and resolves when it is durable.
 * - K2. An append is refused (`STORE_FENCED`) unless the execution is at sequence `afterSeq` and under epoch
 *   `expectedEpoch`. So a process that lost an execution cannot change it (LEASE-2), and if two processes take over the
 *   same epoch, only one succeeds. One refused append refuses its batch. Appends to an execution that is quarantined,
 *   removed or without payloads are refused as well.
 * - K3. A message is taken in the transaction of the turn that consumed it, so it is neither lost nor taken twice
 *   (LEASE-5). A batch that takes a missing message is refused as a whole (`STORE_FENCED`).
 * - K4. A rejected commit may have happened, or may still happen: a server may continue a write after its client has
 *   given up. The caller must read again before it continues, and must treat that read as possibly stale. Only the next
 *   accepted append proves that no write came in between.
 * - K5. Every read returns a committed state. `load` returns blocks by ascending sequence without gaps, or `unreadable`,
 *   which is a statement about the stored data. A store that fails to read throws a fault, which says nothing about the
 *   stored data and quarantines nothing (JOURNAL-6).
 * - K6. A batch may hold several appends of one execution; each follows the one before it.
 * - K7 and K8, about faults, are at `StoreFault`.
 * - K9. `find` lists in order of creation, and pages miss no execution that one writer creates. With several writers, a
 *   page may miss an execution that was created before it and became visible after it; a caller that must see every
 *   execution searches again. The result of a `dueBy` query is unordered.
 * - K10. Names are well-formed text without U+0000: ids, workflows, correlation ids, keys, reasons, kinds of documents.
 *   Bodies may hold any text.
 * - K11. An append that creates an execution with a key is refused (`STORE_FENCED`) if the newest execution with that
 *   key is not `previousWithKey`; executions of the same batch count. So one key never maps to two executions, however
 *   late a commit becomes durable, and an import takes no key from another execution (IDEM-1).
 * - K12. An id maps to one start. The transaction of a post refuses a start (`EXECUTION_EXISTS`) if the execution exists
 *   or another start is posted for it. The same message again adds nothing. An append that creates an execution is
 *   refused (`STORE_FENCED`) while a start is posted for it, unless the batch takes that start. So no other start
 *   replaces one that was acknowledged (LEASE-5).
 * - K13. Every call settles. The engine sets no time limit for a call, and an engine that closes waits for the calls
 *   under way. A store that asks a server needs a time limit of its own, and rejects with `STORE_IO` after it.
 * - K14. Documents are independent of executions. Any process may write them, also one that does not own the store. `put`
 *   compares and writes in one step, and rejects with `DOCUMENT_CHANGED` without effect if the comparison fails. `put`
 *   and `remove` resolve when the change is durable; after another fault it may have happened (K4). `list` is in order of
 *   the UTF-8 bytes of the keys. The engine has checked names, bodies and limits.
 */
export interface Store {
  /**
   * False where nothing is kept: `load` never finds what `commit` got, so the engine keeps executions, their last ends and
   * their keys in its own memory. Absent in a store that keeps what it gets.
   */
  readonly keepsExecutions?: boolean;
  /** The documents of programs beside the journals (K14). Absent in a store that keeps none. */
  readonly documents?: DocumentStore;
  commit(batch: CommitBatch): Promise<void>;
  /** Loads one whole execution; undefined if it does not exist. */
  load(id: ExecutionId): Promise<LoadResult | undefined>;
  /** Loads only the last block of one execution; undefined if there is none that can be read. */
  loadLast(id: ExecutionId): Promise<LastBlock | undefined>;
  /** Bodies by hash: definitions, or values of one execution. The result leaves out missing bodies. */
  contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>>;
  find(query: Query): Promise<Page>;
  /**
   * Any process may post; only the owner takes messages (LEASE-5). Resolves when the message is durable. Refused
   * (`INBOX_FULL`) if `waitingMax` messages wait for the execution. Concurrent posts may exceed the limit by their
   * number. A start is refused if its id is taken (K12).
   */
  post(message: NewMessage, waitingMax?: number): Promise<MessageId>;
  /** Posted messages that were not taken, oldest first: all of them, or those that match the query. */
  poll(query?: PollQuery): Promise<Poll>;
  close(): Promise<void>;
}

/** The appends that a store commits in one transaction. */
export interface CommitBatch {
  /** The appends, each of one execution. */
  readonly appends: readonly Append[];
  /** Messages that these appends consumed, or that had no effect. */
  readonly consumedMessages: readonly MessageId[];
}

/** The changes of one execution in a commit: a block of its journal, and the values that the block names. */
export interface Append {
  /** The id of the execution. */
  readonly execution: ExecutionId;
  /** The sequence number that the block follows; 0 creates the execution. */
  readonly afterSeq: number;
  /** The epoch that the writer found: 0 to create the execution, and equal to `epoch` once it owns the execution. */
  readonly expectedEpoch: number;
  /**
   * The epoch under which the execution is owned from now on. If it is one higher than the expected epoch, the append
   * is a take-over.
   */
  readonly epoch: number;
  /** Absent if a turn only took messages, or only took the execution over. Sequence and head then stay the same. */
  readonly block?: Block;
  /** The row of the execution in lists, as of this append. */
  readonly projection: Projection;
  /** Values outside the journal that the block names, each once. */
  readonly values: readonly Content[];
  /** Definitions that the block names. A definition is stored once by hash. */
  readonly definitions: readonly Content[];
  /** Set by the append that creates an execution started with a key (IDEM-1). */
  readonly idempotency?: IdempotencyEntry;
  /** Set by the last append of an import whose payloads were removed in its origin (DATA-11). */
  readonly payloadsRemovedAt?: EpochMs;
  /** The newest execution with the key when the start or the import was decided; null or absent if there was none (K11). */
  readonly previousWithKey?: ExecutionId | null;
}

/**
 * The events of one turn: one row of the journal. Most turns have two events, the end of a step and the start of the
 * next. Writing them as one row with one hash halves the cost of a step.
 */
export interface Block {
  readonly firstSeq: number;
  readonly count: number;
  /** The events as JSON, one per line. */
  readonly body: string;
  /** Chains the block to the one before: base64url of a sha256 (JOURNAL-4). */
  readonly hash: string;
}

/** A body that is stored by its hash. */
export interface Content {
  readonly hash: ContentHash;
  readonly body: string;
}

/**
 * The columns of an execution that can be queried without folding its journal. They always agree with the last block.
 */
export interface Projection {
  readonly workflow: string;
  readonly definition: ContentHash;
  readonly status: ExecutionStatus;
  readonly seq: number;
  /** The hash of the last block. It detects a truncated journal. */
  readonly head: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /**
   * The time of the earliest timer, at which the execution must wake without a message; null if only a message can wake
   * it.
   */
  readonly wakeAt: EpochMs | null;
  readonly priority: number;
  readonly correlationId: string;
  readonly stepsTotal: number;
  readonly stepsEnded: number;
  /** The labels, each as a line `name=value` with a line break before and after it; absent if there are none. */
  readonly labels?: string;
  /** The number of items and steps that failed and are tolerated; absent if there are none (STATE-7). */
  readonly toleratedFailures?: number;
  /** The beginning of the message of a failed execution. It is a body for the codec. */
  readonly failure?: string;
}

/** The idempotency key of a start, with the hash of its payload. */
export interface IdempotencyEntry {
  readonly key: string;
  readonly payload: ContentHash;
}

/** An execution as a store loads it, or the reason why it cannot be read. */
export type LoadResult =
  | {
      readonly kind: "execution";
      readonly id: ExecutionId;
      readonly epoch: number;
      readonly projection: Projection;
      readonly blocks: readonly Block[];
      /** When the payloads were removed, if they were (DATA-11). Nothing can be appended after that. */
      readonly payloadsRemovedAt?: EpochMs;
    }
  /**
   * A block is missing or does not match, or the execution is quarantined. The engine does not run it; other executions
   * continue (JOURNAL-6).
   */
  | {
      readonly kind: "unreadable";
      readonly id: ExecutionId;
      readonly reason: string;
      readonly isQuarantined: boolean;
    };

/** The last block records how an execution ended. It can be checked without the blocks before it. */
export interface LastBlock {
  readonly projection: Projection;
  readonly block: Block;
  /** The hash of the previous block, which the block is chained to; empty for the first block. */
  readonly previousHash: string;
  /** When the payloads were removed, if they were (DATA-11). */
  readonly payloadsRemovedAt?: EpochMs;
}

/** Asks a store for definitions, or for values of an execution, by hash. */
export type ContentRequest =
  | { readonly kind: "definitions"; readonly hashes: readonly ContentHash[] }
  | { readonly kind: "values"; readonly execution: ExecutionId; readonly hashes: readonly ContentHash[] };

/** Executions in ascending order of creation, `limit` at a time (K9). */
export interface Query {
  readonly status?: readonly ExecutionStatus[];
  readonly workflow?: string;
  readonly correlationId?: string;
  /** Only executions that were created at this time or later. */
  readonly since?: EpochMs;
  /** Only executions that were created before this time. */
  readonly until?: EpochMs;
  /** Only executions with all of these labels, each as in `Projection.labels`. */
  readonly labels?: readonly string[];
  /** Only executions whose id, workflow or failure contains this text. Letters from A to Z match in both cases. */
  readonly text?: string;
  /** Only executions with a timer due by this time that are not quarantined. */
  readonly dueBy?: EpochMs;
  /** Only the newest execution that was started with this key. */
  readonly idempotencyKey?: string;
  readonly cursor?: string;
  readonly limit: number;
}

/** A page of a list of executions. */
export interface Page {
  readonly executions: readonly Summary[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

/** An execution as a list of the store shows it. */
export interface Summary {
  readonly id: ExecutionId;
  readonly epoch: number;
  readonly projection: Projection;
  readonly idempotency?: IdempotencyEntry;
  /** The reason for a quarantine, if the execution is quarantined (JOURNAL-6). */
  readonly quarantined?: string;
  /** When the payloads were removed, if they were (DATA-11). */
  readonly payloadsRemovedAt?: EpochMs;
}

/** The number of a message in the inbox of a store. */
export type MessageId = number;

/** A command that a process posts for the owner of the store. */
export interface NewMessage {
  readonly execution: ExecutionId;
  /** JSON of the command: a start, a cancellation, a signal … */
  readonly body: string;
  readonly postedAt: EpochMs;
  /** Set if the message creates the execution (K12). */
  readonly isStart?: true;
  /** A definition that a posted start includes. */
  readonly definitions?: readonly Content[];
}

/** A command in the inbox of a store. */
export interface Message extends NewMessage {
  readonly id: MessageId;
  /** The codec cannot decode the body now. The message stays posted, because the codec may be able to later. */
  readonly isUnreadable?: true;
}

/** Ids rise in order of posting. The next page comes `after` the last message of this page. */
export interface PollQuery {
  readonly execution?: ExecutionId;
  readonly after?: MessageId;
  readonly limit?: number;
}

/** The answer of a store to a poll. */
export interface Poll {
  readonly messages: readonly Message[];
}
