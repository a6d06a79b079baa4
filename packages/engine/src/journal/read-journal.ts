// Reads a journal: decodes blocks into events, and checks every event and the chain (JOURNAL-4, JOURNAL-6).

import { readEvent, type Event, type Json } from "@segno/kernel";
import type { Block, LastBlock, LoadResult } from "../store/store.ts";
import { chainHash, hashLines } from "./block-encoding.ts";

export type JournalResult =
  | { readonly kind: "journal"; readonly events: readonly Event[]; readonly head: string }
  | Unreadable;

/** The journal is damaged, or a newer Segno wrote it. */
export interface Unreadable {
  readonly kind: "unreadable" | "newer";
  readonly reason: string;
  /** The position of the block that is damaged; absent if the damage is not in one block. */
  readonly index?: number;
}

/** The link of the first block. */
export const CHAIN_START = "";

export function readJournal(loaded: LoadResult & { kind: "execution" }): JournalResult {
  const read = readBlocks(loaded.blocks);
  if (read.kind !== "journal" || read.head === loaded.projection.head) return read;
  return unreadable("the journal ends before its head: rows are missing");
}

/** The events of the last block; undefined if it does not match its hash, its link or its head. */
export function readLastBlock({ projection, block, previousHash }: LastBlock): readonly Event[] | undefined {
  if (block.hash !== projection.head || block.firstSeq + block.count - 1 !== projection.seq) return undefined;
  const read = readBlock(block, block.firstSeq - 1, previousHash);
  return "reason" in read ? undefined : read;
}

/** Reads blocks up to their own end, ignoring the projection. */
export function readBlocks(blocks: readonly Block[]): JournalResult {
  const events: Event[] = [];
  let head = CHAIN_START;
  for (const [index, block] of blocks.entries()) {
    const read = readBlock(block, events.length, head);
    if ("reason" in read) return { ...read, index };
    for (const event of read) events.push(event);
    head = block.hash;
  }
  return { kind: "journal", events, head };
}

function readBlock(block: Block, before: number, head: string): readonly Event[] | Unreadable {
  if (block.firstSeq !== before + 1) return unreadable(`row ${block.firstSeq} follows event ${before}`);
  const lines = block.body.split("\n");
  const events: Event[] = [];
  for (const line of lines) {
    const read = readEvent(parse(line));
    if (read.kind !== "event")
      return { kind: read.kind, reason: `event ${before + events.length + 1}: ${read.message}` };
    events.push(read.event);
  }
  if (events.length !== block.count)
    return unreadable(`row ${block.firstSeq} holds ${events.length} events, not ${block.count}`);
  // Nearly always the lines are unchanged. Otherwise the hash of the decoded events decides.
  if (hashLines(events, lines, head) === block.hash) return events;
  return chainHash(events, head) === block.hash
    ? events
    : unreadable(`row ${block.firstSeq} does not match the hash chain: it was changed`);
}

function unreadable(reason: string): Unreadable {
  return { kind: "unreadable", reason };
}

function parse(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}
