// Reading a journal back: blocks become events, each checked, the chain with them (JOURNAL-4, JOURNAL-6).

import { readEvent, type Event, type Json } from "@segno/kernel";
import type { Block, LoadResult } from "../store/store.ts";
import { chainHash, writtenHash } from "../turn/seal.ts";

export type JournalResult =
  | { readonly kind: "journal"; readonly events: readonly Event[] }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Before the first block there is nothing to link to. */
export const CHAIN_START = "";

export function readJournal(loaded: LoadResult & { kind: "execution" }): JournalResult {
  const events: Event[] = [];
  let head = CHAIN_START;
  for (const block of loaded.blocks) {
    const read = readBlock(block, events.length, head);
    if (typeof read === "string") return { kind: "unreadable", reason: read };
    for (const event of read) events.push(event);
    head = block.hash;
  }
  if (head !== loaded.projection.head)
    return { kind: "unreadable", reason: "the journal ends before its head: rows are missing" };
  return { kind: "journal", events };
}

function readBlock(block: Block, before: number, head: string): readonly Event[] | string {
  if (block.firstSeq !== before + 1) return `row ${block.firstSeq} follows event ${before}`;
  const lines = block.body.split("\n");
  const events: Event[] = [];
  for (const line of lines) {
    const read = readEvent(parse(line));
    if (read.kind === "unreadable") return `event ${before + events.length + 1}: ${read.message}`;
    events.push(read.event);
  }
  if (events.length !== block.count) return `row ${block.firstSeq} holds ${events.length} events, not ${block.count}`;
  // Nearly always the lines are as they were written; what they say decides where they are not.
  if (writtenHash(events, lines, head) === block.hash) return events;
  return chainHash(events, head) === block.hash
    ? events
    : `row ${block.firstSeq} does not fit the row before: it was changed`;
}

function parse(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}
