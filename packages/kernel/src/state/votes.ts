// Votes: which votes on an approval count (BEYOND-2).

import type { Vote } from "../journal/event.ts";

/** A vote's id is its own within its step. */
export function voteKey(step: number, id: string): string {
  return `${step} ${id}`;
}

/** The votes that count: since the last request for changes, the latest of each voter. */
export function effectiveVotes(votes: readonly Vote[]): readonly Vote[] {
  const since = votes.slice(votes.findLastIndex((vote) => vote.verdict === "changes") + 1);
  return [...new Map(since.map((vote) => [vote.by, vote])).values()];
}
