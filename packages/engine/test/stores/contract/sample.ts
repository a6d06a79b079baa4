// Samples for the contract suite: consistent appends, without a kernel or an engine.

import { hash } from "node:crypto";
import { contentHash, epochMs, executionId, type ContentHash, type EpochMs, type ExecutionId } from "@segno/kernel";
import type { Append, CommitBatch, Block, Content, NewMessage, Projection } from "../../../src/store/store.ts";

const NOW = 1_763_000_000_000;

export type Change = Partial<Omit<Append, "projection" | "block">> & {
  readonly projection?: Partial<Projection>;
  readonly body?: string;
  /** The number of events in the block. */
  readonly count?: number;
};

export const at = (offsetMs: number): EpochMs => epochMs(NOW + offsetMs);
export const toId = (id: string): ExecutionId => executionId(id);

export function hashText(text: string): ContentHash {
  return contentHash(`sha256:${hash("sha256", text, "hex")}`);
}

export function content(body: string): Content {
  return { hash: hashText(body), body };
}

export function batch(...appends: readonly Append[]): CommitBatch {
  return { appends, consumedMessages: [] };
}

/** An append of two events after `after`, by the owner of the execution. The same arguments give the same append. */
export function append(id: string, after: number, change: Change = {}): Append {
  const { projection, body, count, epoch = 1, expectedEpoch = after === 0 ? 0 : epoch, ...rest } = change;
  const block = makeBlock(id, after, body, count);
  const shared = { execution: toId(id), afterSeq: after, expectedEpoch, epoch, values: [], definitions: [] };
  return { ...shared, block, projection: makeProjection(id, block, projection), ...rest };
}

/** An append without a block, to an execution at `after`. */
export function blockless(id: string, after: number, change: Change = {}): Append {
  const { block: before, projection, ...rest } = append(id, after - 2, change);
  const found = change.expectedEpoch ?? rest.epoch;
  return { ...rest, afterSeq: after, expectedEpoch: found, projection: { ...projection, head: before?.hash ?? "" } };
}

export function message(id: string, body: string): NewMessage {
  return { execution: toId(id), body, postedAt: at(0) };
}

function makeBlock(id: string, after: number, body: string | undefined, count = 2): Block {
  const events = Array.from({ length: count }, (_, index) => JSON.stringify({ seq: after + 1 + index }));
  const link = hash("sha256", `${id} ${after}`, "base64url");
  return { firstSeq: after + 1, count, body: body ?? events.join("\n"), hash: link };
}

function makeProjection(id: string, block: Block, change: Partial<Projection> = {}): Projection {
  const seq = block.firstSeq + block.count - 1;
  return {
    workflow: "sample",
    definition: hashText("definition"),
    status: "running",
    seq,
    head: block.hash,
    createdAt: at(0),
    updatedAt: at(seq),
    wakeAt: null,
    priority: 0,
    correlationId: `about ${id}`,
    stepsTotal: 10,
    stepsEnded: Math.floor(seq / 2),
    ...change,
  };
}
