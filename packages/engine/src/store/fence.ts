// The fence: whether an append may be written (K2), the same for every store.
//
//   F1. An append follows the head that is there, under its epoch or a higher one. Anything else lost the execution.
//   F2. An append that contradicts itself is a bug of the caller, not a lost race, and is told apart.

import { invariant, type ExecutionId } from "@segno/kernel";
import { StoreFault } from "./store-fault.ts";
import type { Append, MessageId } from "./store.ts";

/** What a store knows of an execution that is there. */
export interface FencePost {
  readonly seq: number;
  readonly epoch: number;
  readonly quarantined: string | undefined;
}

export function fence(append: Append, post: FencePost | undefined): void {
  checkShape(append);
  const why = post === undefined ? refusalOfNew(append) : refusal(append, post);
  if (why !== undefined) throw fenced(append.execution, why);
}

export function messageGone(id: MessageId): StoreFault {
  return new StoreFault("STORE_FENCED", `message ${id} is no longer in the inbox; nothing of the batch was written`);
}

function fenced(id: ExecutionId, why: string): StoreFault {
  return new StoreFault("STORE_FENCED", `execution ${id}: ${why}; nothing of the batch was written`);
}

function refusalOfNew({ after }: Append): string | undefined {
  return after === 0 ? undefined : `the append follows sequence ${after}, but there is no such execution`;
}

function refusal({ after, epoch }: Append, post: FencePost): string | undefined {
  if (post.quarantined !== undefined) return "it is quarantined";
  if (after !== post.seq) return `the append follows sequence ${after}, but the journal is at ${post.seq}`;
  if (epoch < post.epoch) return `the append has epoch ${epoch}, but it is owned under ${post.epoch}`;
  return undefined;
}

function checkShape({ after, block, projection }: Append): void {
  invariant(block !== undefined || after > 0, "F2", "an execution is created with a block");
  invariant(projection.seq === after + (block?.count ?? 0), "F2", "the projection is at the append's last event");
  if (block === undefined) return;
  invariant(block.firstSeq === after + 1 && block.count > 0, "F2", "a block begins where the journal ends");
  invariant(block.hash === projection.head, "F2", "the projection's head is the hash of its block");
}
