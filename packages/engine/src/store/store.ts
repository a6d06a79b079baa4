// The store, as the engine sees it.
//
// Job: keep journals, what belongs to them and what was posted, durably and all or nothing.
// Not its job: knowing what an event means. Blocks are text; what can be asked for stands in the projection.
//
//   K1. `commit` writes the whole batch in one transaction or nothing of it, and resolves when it is durable.
//   K2. An append is refused (`STORE_FENCED`) unless the execution is at `after` and under the epoch that was `found`:
//       whoever lost an execution can change nothing of it (LEASE-2), and of two who found the same epoch and take the
//       execution over, one does. One refused append refuses its batch. What is quarantined or was removed is refused as
//       well, and so is one whose payloads were removed.
//   K3. A message is taken in the transaction of the turn that consumed it, so it is neither lost nor taken twice (LEASE-5).
//       A batch that takes what is no longer there is refused whole (`STORE_FENCED`).
//   K4. A commit that rejects may have happened, or may yet happen: a server goes on with what it was given when nobody
//       waits any more. Whoever gets the rejection reads again before it goes on, and takes what it reads for old: only
//       the next append that is accepted says that nothing came between.
//   K5. What is read is a committed state; `load` gives blocks by ascending sequence without gaps, or says `unreadable`.
//       `unreadable` is about what is stored. A store that fails at reading throws a fault: it says nothing about what is
//       stored, and nothing is quarantined for it (JOURNAL-6).
//   K6. A batch may hold several appends of one execution; each follows the one before it.
//   K7 and K8, about faults, stand in `store-fault.ts`.
//   K9. `find` lists in the order of creation, and pages miss nothing of what one writer creates. While several create, a
//       page may miss what was created before it and became visible after it; whoever must see everything looks again.
//       What is asked for by `dueBy` comes in any order.
//  K10. Names are well-formed text without U+0000 (`names.ts`): ids, workflows, correlation ids, keys, reasons. Bodies may
//       hold any text.
//  K11. An append that creates an execution with a key is refused (`STORE_FENCED`) when another execution than `keyAfter`
//       is the newest with that key, also one that the same batch creates. So one key never stands for two executions,
//       however late a commit becomes durable (IDEM-1).

import type { ContentHash, EpochMs, ExecutionId, ExecutionStatus } from "@segno/kernel";

export interface Store {
  /**
   * False where nothing is kept: `load` never finds what `commit` got, so the engine keeps executions, their last ends and
   * their keys in its own memory. Absent in a store that keeps what it gets.
   */
  readonly keepsExecutions?: boolean;
  commit(batch: CommitBatch): Promise<void>;
  /** One execution whole; nothing when there is none. */
  load(id: ExecutionId): Promise<LoadResult | undefined>;
  /** The last block of one execution alone; nothing when there is none, or none that can be read. */
  loadLast(id: ExecutionId): Promise<LastBlock | undefined>;
  /** Bodies by hash: definitions, or values of one execution. What is not there is not in the answer. */
  contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>>;
  find(query: Query): Promise<Page>;
  /**
   * Any process may post; only the owner takes (LEASE-5). Resolves when the message is durable. Refused (`INBOX_FULL`)
   * while so many messages wait for the execution; several who post at the same time may go beyond by as many as they are.
   */
  post(message: NewMessage, waitingMax?: number): Promise<MessageId>;
  /** What was posted and not taken, oldest first: all of it, or what the query asks for. */
  poll(query?: PollQuery): Promise<Poll>;
  close(): Promise<void>;
}

export interface CommitBatch {
  readonly appends: readonly Append[];
  /** Messages that were consumed by these appends, or that led to nothing. */
  readonly taken: readonly MessageId[];
}

export interface Append {
  readonly execution: ExecutionId;
  /** The sequence number that the block follows; 0 creates the execution. */
  readonly after: number;
  /** The epoch under which the execution was found, 0 when it is created. The same as `epoch` once it is owned. */
  readonly expectedEpoch: number;
  /** The epoch under which the execution is owned from now on; one higher than was found takes it over. */
  readonly epoch: number;
  /** Absent when a turn only took messages, or only took the execution over: sequence and head have not changed then. */
  readonly block?: Block;
  readonly projection: Projection;
  /** Values beside the journal that the block names, each once. */
  readonly values: readonly Content[];
  /** Definitions that the block names; stored once by hash, whoever brings them. */
  readonly definitions: readonly Content[];
  /** Set by the append that creates an execution started with a key (IDEM-1). */
  readonly idempotency?: IdempotencyEntry;
  /** Set by the last append of an import whose payloads were removed where it comes from (DATA-11). */
  readonly payloadsRemovedAt?: EpochMs;
  /** The newest execution with the key when the start was decided, null without one. An import compares nothing (K11). */
  readonly keyAfter?: ExecutionId | null;
}

/**
 * The events of one turn: one row of the journal. Most turns have two events, the end of a step and the start of the next,
 * and writing them as one row and hashing them once halves what a step costs.
 */
export interface Block {
  readonly firstSeq: number;
  readonly count: number;
  /** The events as JSON, one a line. */
  readonly body: string;
  /** Links the block to the one before: base64url of a sha256 (JOURNAL-4). */
  readonly hash: string;
}

export interface Content {
  readonly hash: ContentHash;
  readonly body: string;
}

/** What can be asked about an execution without folding its journal. It always agrees with the journal's last block. */
export interface Projection {
  readonly workflow: string;
  readonly definition: ContentHash;
  readonly status: ExecutionStatus;
  readonly seq: number;
  /** The hash of the last block: a journal that was cut is seen. */
  readonly head: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** When it has to be looked at again although nobody posts: the earliest timer; null when only a message can wake it. */
  readonly wakeAt: EpochMs | null;
  readonly priority: number;
  readonly correlationId: string;
  readonly stepsTotal: number;
  readonly stepsEnded: number;
}

export interface IdempotencyEntry {
  readonly key: string;
  readonly payload: ContentHash;
}

export type LoadResult =
  | {
      readonly kind: "execution";
      readonly id: ExecutionId;
      readonly epoch: number;
      readonly projection: Projection;
      readonly blocks: readonly Block[];
      /** When its payloads were removed, if they were (DATA-11). Nothing can be appended to it since then. */
      readonly payloadsRemovedAt?: EpochMs;
    }
  /** A block is missing or does not fit, or it was quarantined; it is left alone and the others go on (JOURNAL-6). */
  | {
      readonly kind: "unreadable";
      readonly id: ExecutionId;
      readonly reason: string;
      readonly isQuarantined: boolean;
    };

/** How an execution ended stands in its last block, which can be checked without those before it. */
export interface LastBlock {
  readonly projection: Projection;
  readonly block: Block;
  /** The hash of the block before, which the block links to; empty before the first. */
  readonly previousHash: string;
}

export type ContentRequest =
  | { readonly kind: "definitions"; readonly hashes: readonly ContentHash[] }
  | { readonly kind: "values"; readonly execution: ExecutionId; readonly hashes: readonly ContentHash[] };

/** Executions in ascending order of creation, `limit` at a time (K9). */
export interface Query {
  readonly status?: readonly ExecutionStatus[];
  readonly workflow?: string;
  readonly correlationId?: string;
  /** Only what has a timer due by then and was not quarantined. */
  readonly dueBy?: EpochMs;
  /** The newest execution that was started with this key. */
  readonly idempotencyKey?: string;
  readonly cursor?: string;
  readonly limit: number;
}

export interface Page {
  readonly executions: readonly Summary[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

export interface Summary {
  readonly id: ExecutionId;
  readonly epoch: number;
  readonly projection: Projection;
  readonly idempotency?: IdempotencyEntry;
  /** Why it was quarantined, if it was (JOURNAL-6). */
  readonly quarantined?: string;
  /** When its payloads were removed, if they were (DATA-11). */
  readonly payloadsRemovedAt?: EpochMs;
}

export type MessageId = number;

export interface NewMessage {
  readonly execution: ExecutionId;
  /** JSON of what is wanted: a start, a cancellation, a signal … */
  readonly body: string;
  readonly postedAt: EpochMs;
  /** A definition that a posted start brings along. */
  readonly definitions?: readonly Content[];
}

export interface Message extends NewMessage {
  readonly id: MessageId;
}

/** Ids rise in the order of posting, so `after` the last message of a page comes the next page. */
export interface PollQuery {
  readonly execution?: ExecutionId;
  readonly after?: MessageId;
  readonly limit?: number;
}

export interface Poll {
  readonly messages: readonly Message[];
}
