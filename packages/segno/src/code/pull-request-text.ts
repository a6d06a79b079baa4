// A pull request that is kept without a forge, as `segno code status` and `segno code diff` show it.

import type { PullRequestReport } from "@segno/code";

import { safeText } from "../terminal/safe-text.ts";

export function pullRequestText({ id, title, state, checks }: PullRequestReport): string {
  const result = checks.kind === "failed" ? `\`${safeText(checks.name)}\` failed` : checks.kind;
  return `pull request ${safeText(id)} (${state}, checks: ${result}): ${safeText(title)}`;
}
