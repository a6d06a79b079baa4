// The fence: decides whether a batch may be written (K2, K3). Every store uses it.
//
//   F1. An append must follow the stored head and must expect the stored epoch. Otherwise its writer has lost the
//       execution. An execution that does not exist has sequence 0 and epoch 0.
//   F2. An append that contradicts itself is a bug of the caller and not a lost race, so it raises an invariant error.
//   F3. The fence checks a batch to its end, so that the refusal names everything that was wrong (K8).

import { invariant, type EpochMs, type ExecutionId } from "@segno/kernel";
import { StoreFault } from "./store-fault.ts";
import type { Append, MessageId, NewMessage, Projection } from "./store.ts";

/** The stored sequence and epoch of an existing execution. */
export interface StoredHead {
  readonly seq: number;
  readonly epoch: number;
  readonly quarantined: string | undefined;
  readonly payloadsRemovedAt: EpochMs | undefined;
}

const ABSENT: StoredHead = { seq: 0, epoch: 0, quarantined: undefined, payloadsRemovedAt: undefined };

/** Executions and starts that keep an append from creating an execution. */
export interface Rivals {
  /** The newest execution with the append's idempotency key (K11). */
  readonly keyHolder: ExecutionId | undefined;
  /** Whether a start that the batch does not take is posted for the execution (K12). */
  readonly isStartPosted: boolean;
}

const NO_RIVALS: Rivals = { keyHolder: undefined, isStartPosted: false };

/** The fence of one batch. */
export class Fence {
  /** Created lazily, because nearly every batch is admitted. */
  #executions: Set<ExecutionId> | undefined;
  #messages: Set<MessageId> | undefined;
  #reason: string | undefined;
  /** Named only if no append was refused, whichever the store checks first. */
  #messageReason: string | undefined;

  /**
   * True if the append may be written. An append that follows a refused one of the same execution is refused, too (K6).
   */
  admits(append: Append, post: StoredHead | undefined, rivals: Rivals = NO_RIVALS): boolean {
    checkShape(append);
    if (this.#executions?.has(append.execution) === true) return false;
    const reason = refusal(append, post ?? ABSENT) ?? rivalRefusal(append, rivals);
    if (reason === undefined) return true;
    (this.#executions ??= new Set()).add(append.execution);
    this.#reason ??= `execution ${append.execution}: ${reason}`;
    return false;
  }

  /** Refuses a message that should be taken but no longer exists. */
  rejectMessage(id: MessageId): void {
    (this.#messages ??= new Set()).add(id);
    this.#messageReason ??= `message ${id} is no longer in the inbox`;
  }

  /** Throws if anything was refused. */
  close(): void {
    const reason = this.#reason ?? this.#messageReason;
    if (reason === undefined) return;
    throw new StoreFault("STORE_FENCED", `${reason}; nothing of the batch was written`, {
      refused: { executions: this.#executions ?? new Set(), messages: this.#messages ?? new Set() },
    });
  }
}

export function checkMessage({ postedAt }: NewMessage): void {
  invariant(Number.isSafeInteger(postedAt), "F2", `a time must be an integer, not ${postedAt}`);
}

function refusal({ afterSeq, expectedEpoch, epoch }: Append, post: StoredHead): string | undefined {
  if (post.quarantined !== undefined) return "it is quarantined";
  if (post.payloadsRemovedAt !== undefined) return "its payloads were removed";
  if (afterSeq !== post.seq)
    return post === ABSENT
      ? `the append follows sequence ${afterSeq}, but there is no such execution`
      : `the append follows sequence ${afterSeq}, but the journal is at ${post.seq}`;
  if (expectedEpoch === post.epoch) return undefined;
  return `the append expects epoch ${expectedEpoch} and writes ${epoch}, but the stored epoch is ${post.epoch}`;
}

function rivalRefusal({ previousWithKey }: Append, { keyHolder, isStartPosted }: Rivals): string | undefined {
  if (isStartPosted) return "a start is posted for it";
  if (keyHolder === undefined || keyHolder === previousWithKey) return undefined;
  return `its idempotency key belongs to ${keyHolder}`;
}

function checkShape({ afterSeq, expectedEpoch, epoch, block, projection }: Append): void {
  invariant(block !== undefined || afterSeq > 0, "F2", "an execution is created with a block");
  invariant(
    Number.isSafeInteger(epoch) && epoch > 0 && epoch >= expectedEpoch,
    "F2",
    "an epoch is a count and never falls",
  );
  invariant(projection.seq === afterSeq + (block?.count ?? 0), "F2", "the projection is at the append's last event");
  invariant(areIntegers(projection), "F2", "times and counts are integers");
  if (block === undefined) return;
  invariant(block.firstSeq === afterSeq + 1 && block.count > 0, "F2", "a block begins where the journal ends");
  invariant(block.hash === projection.head, "F2", "the projection's head is the hash of its block");
}

/** A store with integer columns would round or refuse other numbers. */
function areIntegers({ seq, createdAt, updatedAt, wakeAt, stepsTotal, stepsEnded }: Projection): boolean {
  return (
    Number.isSafeInteger(seq) &&
    Number.isSafeInteger(createdAt) &&
    Number.isSafeInteger(updatedAt) &&
    (wakeAt === null || Number.isSafeInteger(wakeAt)) &&
    Number.isSafeInteger(stepsTotal) &&
    Number.isSafeInteger(stepsEnded)
  );
}
