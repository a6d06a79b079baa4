// The fields of GitHub's answers that are read, and the checks of them.

import { z } from "zod";

export interface ListedPull {
  readonly number: number;
  readonly state: "open" | "closed";
  readonly html_url: string;
  readonly merged_at: string | null;
  readonly merge_commit_sha: string | null;
  readonly head: {
    readonly ref: string;
    readonly sha: string;
    /** Null if the fork was deleted. */
    readonly repo: { readonly full_name: string } | null;
  };
  readonly base: { readonly ref: string };
}

export interface PullDetails extends ListedPull {
  /** Null while GitHub computes it. */
  readonly mergeable: boolean | null;
}

export interface Review {
  readonly user: { readonly id: number } | null;
  readonly state: string;
  readonly commit_id: string | null;
  readonly author_association: string;
}

export interface CheckRun {
  readonly id: number;
  readonly completed_at: string | null;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly output: { readonly title: string | null; readonly summary: string | null; readonly text: string | null };
}

export interface CommitStatus {
  readonly context: string;
  readonly state: string;
  readonly description: string | null;
  readonly target_url: string | null;
}

const text = z.string();
/** No list that is asked for is longer. Its length is checked first, because each wrong item would be reported. */
const ITEMS_MAX = 100;
const list = <Item>(item: z.ZodType<Item>): z.ZodType<readonly Item[]> =>
  z.array(z.unknown()).max(ITEMS_MAX).pipe(z.array(item));
const optionalText = z.string().nullable();
const pullFields = {
  number: z.int().positive(),
  state: z.enum(["open", "closed"]),
  html_url: text,
  merged_at: optionalText,
  merge_commit_sha: optionalText,
  head: z.object({ ref: text, sha: text, repo: z.object({ full_name: text }).nullable() }),
  base: z.object({ ref: text }),
};
const review = z.object({
  user: z.object({ id: z.int() }).nullable(),
  state: text,
  commit_id: optionalText,
  author_association: text,
});
const checkRun = z.object({
  id: z.number(),
  name: text,
  status: text,
  conclusion: optionalText,
  completed_at: optionalText,
  output: z.object({ title: optionalText, summary: optionalText, text: optionalText }),
});
const commitStatus = z.object({
  context: text,
  state: text,
  description: optionalText,
  target_url: optionalText,
});

export const LISTED_PULL: z.ZodType<ListedPull> = z.object(pullFields);
export const LISTED_PULLS: z.ZodType<readonly ListedPull[]> = list(z.object(pullFields));
export const PULL: z.ZodType<PullDetails> = z.object({ ...pullFields, mergeable: z.boolean().nullable() });
export const MERGED_PULL: z.ZodType<{ readonly sha: string }> = z.object({ merged: z.literal(true), sha: text });
export const REVIEWS: z.ZodType<readonly Review[]> = list(review);
/** An answer of which nothing is read. */
export const ANY: z.ZodType = z.unknown();
export const CHECK_RUNS: z.ZodType<{ readonly check_runs: readonly CheckRun[] }> = z.object({
  check_runs: list(checkRun),
});
export const COMMIT_STATUSES: z.ZodType<{ readonly statuses: readonly CommitStatus[] }> = z.object({
  statuses: list(commitStatus),
});
