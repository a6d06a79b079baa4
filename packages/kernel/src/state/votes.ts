// Votes: which votes on an approval count (BEYOND-2).

import type { Vote } from "../journal/event.ts";

/** The id of a vote is unique within its step. */
export function voteKey(step: number, id: string): string {
  return `${step} ${id}`;
}

/**
 * The votes after another one. Only those are kept that can still count, and the last request for changes: a person who votes
 * again and again adds nothing.
 */
export function withVote(votes: readonly Vote[], vote: Vote): readonly Vote[] {
  if (vote.verdict === "changes") return [vote];
  return [...votes.filter((each) => each.by !== vote.by || each.verdict === "changes"), vote];
}

/** The votes that count: the latest vote of each voter since the last request for changes. */
export function effectiveVotes(votes: readonly Vote[]): readonly Vote[] {
  const since = votes.slice(votes.findLastIndex((vote) => vote.verdict === "changes") + 1);
  return [...new Map(since.map((vote) => [vote.by, vote])).values()];
}
