// The fence: whether a batch may be written (K2, K3), the same for every store.
//
//   F1. An append follows the head that is there, and finds the epoch that is there. Anything else lost the execution. One
//       that is not there yet is at sequence 0 under epoch 0.
//   F2. An append that contradicts itself is a bug of the caller, not a lost race, and is told apart.
//   F3. A batch is looked at to its end, so that the refusal names everything that was wrong with it (K8).

import { invariant, type EpochMs, type ExecutionId } from "@segno/kernel";
import { StoreFault } from "./store-fault.ts";
import type { Append, MessageId, NewMessage, Projection } from "./store.ts";

/** What a store knows of an execution that is there. */
export interface StoredHead {
  readonly seq: number;
  readonly epoch: number;
  readonly quarantined: string | undefined;
  readonly payloadsRemovedAt: EpochMs | undefined;
}

const ABSENT: StoredHead = { seq: 0, epoch: 0, quarantined: undefined, payloadsRemovedAt: undefined };

/** Of one batch. */
export class Fence {
  /** Made when they are needed: nearly every batch is good. */
  #executions: Set<ExecutionId> | undefined;
  #messages: Set<MessageId> | undefined;
  #reason: string | undefined;

  /**
   * Whether the append may be written. What follows one that was refused is refused as well (K6). `keyHolder` is the newest
   * execution with the append's idempotency key.
   */
  admits(append: Append, post: StoredHead | undefined, keyHolder?: ExecutionId): boolean {
    checkShape(append);
    if (this.#executions?.has(append.execution) === true) return false;
    const why = refusal(append, post ?? ABSENT) ?? keyRefusal(append, keyHolder);
    if (why === undefined) return true;
    (this.#executions ??= new Set()).add(append.execution);
    this.#reason ??= `execution ${append.execution}: ${why}`;
    return false;
  }

  /** A message that is to be taken, and is no longer there. */
  rejectMessage(id: MessageId): void {
    (this.#messages ??= new Set()).add(id);
    this.#reason ??= `message ${id} is no longer in the inbox`;
  }

  /** Throws when anything was refused. */
  close(): void {
    if (this.#reason === undefined) return;
    throw new StoreFault("STORE_FENCED", `${this.#reason}; nothing of the batch was written`, {
      refused: { executions: this.#executions ?? new Set(), messages: this.#messages ?? new Set() },
    });
  }
}

export function checkMessage({ postedAt }: NewMessage): void {
  invariant(Number.isSafeInteger(postedAt), "F2", `a time is an integer, and not ${postedAt}`);
}

function refusal({ after, expectedEpoch, epoch }: Append, post: StoredHead): string | undefined {
  if (post.quarantined !== undefined) return "it is quarantined";
  if (post.payloadsRemovedAt !== undefined) return "its payloads were removed";
  if (after !== post.seq)
    return post === ABSENT
      ? `the append follows sequence ${after}, but there is no such execution`
      : `the append follows sequence ${after}, but the journal is at ${post.seq}`;
  if (expectedEpoch === post.epoch) return undefined;
  return `the append has found epoch ${expectedEpoch} and has ${epoch}, but it is owned under ${post.epoch}`;
}

/** K11. */
function keyRefusal({ keyAfter }: Append, holder: ExecutionId | undefined): string | undefined {
  if (keyAfter === undefined || holder === undefined || holder === keyAfter) return undefined;
  return `its idempotency key stands for ${holder}`;
}

function checkShape({ after, expectedEpoch, epoch, block, projection }: Append): void {
  invariant(block !== undefined || after > 0, "F2", "an execution is created with a block");
  invariant(
    Number.isSafeInteger(epoch) && epoch > 0 && epoch >= expectedEpoch,
    "F2",
    "an epoch is a count and never falls",
  );
  invariant(projection.seq === after + (block?.count ?? 0), "F2", "the projection is at the append's last event");
  invariant(areIntegers(projection), "F2", "times and counts are integers");
  if (block === undefined) return;
  invariant(block.firstSeq === after + 1 && block.count > 0, "F2", "a block begins where the journal ends");
  invariant(block.hash === projection.head, "F2", "the projection's head is the hash of its block");
}

/** A store whose columns are integers would round or refuse what another keeps as it is. */
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
