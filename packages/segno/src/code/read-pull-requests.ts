import { inspectCode, type CodeReport, type PullRequestReport } from "@segno/code";
import type { Engine, ExecutionHandle } from "@segno/engine";

/** The pull requests of the tasks and of the landing; none if the repository is not there any more. */
export async function readPullRequests(
  engine: Engine,
  handle: ExecutionHandle,
  { tasks }: CodeReport,
): Promise<readonly PullRequestReport[]> {
  const opened = await inspectCode(engine, handle).catch(() => undefined);
  if (opened === undefined) return [];
  await using inspection = opened;
  const found: PullRequestReport[] = [];
  for (const task of [...tasks.map((each) => each.task), undefined]) {
    const pullRequest = await inspection.pullRequest(task);
    if (pullRequest !== undefined) found.push(pullRequest);
  }
  return found;
}
